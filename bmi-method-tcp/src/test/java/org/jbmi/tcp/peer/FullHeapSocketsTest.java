package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.address.TrustedSources;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Sockets that are opened, accepted or closed while the JVM has no memory left. */
@Timeout(60)
class FullHeapSocketsTest {
    /** There is one piece of memory, which is longer each time. */
    private static final int TIMES = 4;

    private static final int STEP_BYTES = 32;
    private static final int MANY = 30;

    @Test
    void noClientIsLost() throws Exception {
        assertThat(FullHeap.outputOf(Accepts.class, "16m")).isEqualTo("4 accepted");
    }

    @Test
    void aClientThatWaitsForMemoryEndsNoOther() throws Exception {
        assertThat(FullHeap.outputOf(Waits.class, "16m")).isEqualTo("kept, 2 accepted");
    }

    @Test
    void aConnectionAttemptThatFailsLeavesNone() throws Exception {
        assertThat(FullHeap.outputOf(Dials.class, "16m")).isEqualTo("0 left");
    }

    @Test
    void theSocketOfAConnectionThatEndsIsClosed() throws Exception {
        assertThat(FullHeap.outputOf(Ends.class, "16m")).isEqualTo("closed");
    }

    @Test
    void theSelectorClosesASocketAlsoIfItFindsNoMemoryAtOnce() throws Exception {
        assertThat(FullHeap.outputOf(Leaves.class, "16m")).isEqualTo("closed");
    }

    /** The parts that have to do with sockets, without a lead. */
    private static class Parts {
        final PartsHost host = new PartsHost();
        final TcpSettings settings = new TcpSettings(host.configuration());
        final TcpState state = new TcpState(host, settings);
        final Names names = new Names(state);
        final Directory directory = new Directory(state, names);
        final Endings endings = new Endings(state, directory);
        final Selector selector = Sockets.openSelector();
        final Sockets sockets = new Sockets(settings, selector, "");
        final Acceptor acceptor =
                new Acceptor(
                        state,
                        sockets,
                        endings,
                        TcpAddressGrammar.parse("tcp://127.0.0.1:0", settings.dialect, "")
                                .getFirst(),
                        TrustedSources.parse(""));
        final Filler filler = new Filler();
        private final Object[] piece = new Object[1];
        private final Object[] numbers = new Object[1000];

        Parts() throws IOException {}

        final SocketChannel client() throws IOException {
            InetAddress address = InetAddress.getLoopbackAddress();
            return SocketChannel.open(new InetSocketAddress(address, acceptor.port()));
        }

        /** Does it with a heap in which only one piece is free, or none. */
        final void inFullHeap(int freeBytes, Runnable step) {
            piece[0] = freeBytes == 0 ? null : new byte[freeBytes];
            filler.fill();
            filler.fillUp(); // the collector finds a few more pieces
            takeNumbers();
            piece[0] = null;
            try {
                step.run();
            } catch (OutOfMemoryError e) {
                // What needs memory failed.
            }
            filler.free();
        }

        /** Takes the pieces in which only a number has room. */
        private void takeNumbers() {
            try {
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = new Object();
                }
            } catch (OutOfMemoryError e) {
                // None has room any more.
            }
        }

        final void select() {
            try {
                state.interests.select(selector, key -> {}, 0);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Accepts a client, whose connection is the last one that the state has. */
        final Connection accepted() throws IOException {
            int before = state.connections.size();
            client();
            while (state.connections.size() == before) { // the client may be ahead of the system
                acceptor.acceptable();
            }
            select();
            return state.connections.getLast();
        }
    }

    /** Accepts a client each time. */
    static final class Accepts extends Parts {
        private Accepts() throws IOException {}

        public static void main(String[] args) throws IOException {
            Accepts first = new Accepts();
            first.run(1); // loads the classes
            System.out.print(new Accepts().run(TIMES) + " accepted");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private long run(int times) throws IOException {
            SocketChannel[] clients = new SocketChannel[times];
            for (int i = 1; i <= times; i++) {
                clients[i - 1] = client();
                inFullHeap(i * STEP_BYTES, acceptor::acceptable);
                acceptor.acceptable();
            }
            return clients[0].isOpen() ? state.counters.accepted.get() : 0;
        }
    }

    /** Accepts a client later, while another one has sent nothing for more than a second. */
    static final class Waits extends Parts {
        private static final long LONG_NS = 1_100_000_000;

        private Waits() throws IOException {}

        public static void main(String[] args) throws IOException {
            Waits first = new Waits();
            first.run(); // loads the classes
            System.out.print(new Waits().run());
            first.filler.free(); // until here it is kept, with its sockets
        }

        private String run() throws IOException {
            Connection silent = accepted();
            while (System.nanoTime() - silent.openedNs < LONG_NS) {
                Thread.onSpinWait();
            }
            try (SocketChannel client = client()) {
                inFullHeap(0, this::acceptInVain);
                state.interests.select(selector, key -> acceptor.acceptable(), 0);
                String kept = client.isOpen() && silent.ended ? "ended" : "kept";
                return kept + ", " + state.counters.accepted.get() + " accepted";
            }
        }

        private void acceptInVain() {
            acceptor.acceptable();
            acceptor.checkPause(System.nanoTime() + LONG_NS); // listens again
        }
    }

    /** Begins to connect each time. */
    static final class Dials extends Parts {
        /** With a little more it fails once its socket is open. */
        private static final int LEAST_BYTES = 448;

        private final Dialer dialer =
                new Dialer(state, endings, sockets, new Writer(state, endings), names);

        private Dials() throws IOException {}

        public static void main(String[] args) throws IOException {
            Dials first = new Dials();
            first.run(1); // loads the classes
            System.out.print(new Dials().run(TIMES) + " left");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private long run(int times) throws IOException {
            settings.sendBufferBytes = 100_000; // numbers of which the JDK has no objects
            settings.receiveBufferBytes = 100_000;
            TcpPeer peer = directory.lookup("tcp://127.0.0.1:" + acceptor.port());
            dial(peer, 0, false);
            long before = descriptors();
            for (int i = 1; i <= times; i++) {
                dial(peer, LEAST_BYTES + i * STEP_BYTES, true);
            }
            return descriptors() - before;
        }

        private void dial(TcpPeer peer, int freeBytes, boolean isFull) {
            Dial dial = dialer.begin(peer);
            if (isFull) {
                inFullHeap(freeBytes, () -> dialer.start(dial));
            } else {
                dialer.start(dial);
            }
            dialer.abandon(dial, TcpCodes.ECANCEL);
            select();
        }

        private static long descriptors() throws IOException {
            try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
                return all.count();
            }
        }
    }

    /** Ends a connection. */
    static final class Ends extends Parts {
        private Ends() throws IOException {}

        public static void main(String[] args) throws IOException {
            Ends first = new Ends();
            first.run(); // loads the classes
            System.out.print(new Ends().run() ? "closed" : "open");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private boolean run() throws IOException {
            Connection connection = accepted();
            inFullHeap(0, () -> endings.end(connection, TcpCodes.EPIPE));
            select();
            return !connection.channel.isRegistered();
        }
    }

    /** Ends connections, before the selector finds no memory. */
    static final class Leaves extends Parts {
        private Leaves() throws IOException {}

        public static void main(String[] args) throws IOException {
            Pipe[] taken = FullHeapSelectorTest.takeDescriptors();
            Leaves first = new Leaves();
            first.run(); // loads the classes
            System.out.print(new Leaves().run() ? "closed" : "open");
            first.filler.free(); // until here it is kept, with its sockets
            taken[0].sink().close();
        }

        private boolean run() throws IOException {
            Connection[] ended = new Connection[MANY];
            for (int i = 0; i < MANY; i++) {
                ended[i] = accepted();
            }
            for (Connection each : ended) {
                endings.end(each, TcpCodes.EPIPE);
            }
            inFullHeap(0, this::select);
            select();
            return Arrays.stream(ended).noneMatch(each -> each.channel.isRegistered());
        }
    }
}
