package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.address.TrustedSources;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A server that accepts again after a pause while its JVM has no memory left. */
@Timeout(60)
class FullHeapAcceptTest {
    @Test
    void aSelectorThatLosesTheEndOfThePauseIsToldAgain() throws Exception {
        assertThat(FullHeap.outputOf(Pauses.class, "16m")).isEqualTo("accepted");
    }

    /** Ends a pause when the selector's list of changes is full, and no longer one fits. */
    static final class Pauses {
        /** The JDK makes the list longer with this change. */
        private static final int FULL = 17;

        private static final long HOUR_NS = 3_600_000_000_000L;

        private final PartsHost host = new PartsHost();
        private final TcpSettings settings = new TcpSettings(host.configuration());
        private final TcpState state = new TcpState(host, settings);
        private final Endings endings = new Endings(state, new Directory(state, new Names(state)));
        private final Selector selector = Selector.open();
        private final Acceptor acceptor =
                new Acceptor(
                        state,
                        new Sockets(settings, selector, ""),
                        endings,
                        selector,
                        TcpAddressGrammar.parse("tcp://127.0.0.1:0", settings.dialect, "")
                                .getFirst(),
                        TrustedSources.parse(""));
        private final SelectionKey[] others = new SelectionKey[2 * FULL];
        private final Filler filler = new Filler();

        private Pauses() throws IOException {}

        public static void main(String[] args) throws IOException {
            Pauses first = new Pauses();
            first.run(false); // loads the classes
            System.out.print(new Pauses().run(true) ? "accepted" : "not accepted");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private boolean run(boolean isFull) throws IOException {
            for (int i = 0; i < others.length; i++) {
                Pipe.SourceChannel source = Pipe.open().source();
                source.configureBlocking(false);
                others[i] = source.register(selector, 0);
                selector.selectNow();
            }
            acceptor.exhausted();
            selector.selectNow();
            if (isFull) {
                filler.fill();
            }
            long laterNs = System.nanoTime() + HOUR_NS;
            change(0, FULL - 1);
            try {
                acceptor.checkPause(laterNs);
            } catch (OutOfMemoryError e) {
                // The next tick comes.
            }
            change(FULL, 2 * FULL); // these take the places of those before
            filler.free();
            selector.selectNow();
            acceptor.checkPause(laterNs);
            try (SocketChannel client = SocketChannel.open()) {
                client.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), acceptor.port()));
                return selector.select(1000) > 0;
            }
        }

        private void change(int from, int to) {
            for (int i = from; i < to; i++) {
                try {
                    others[i].interestOps(SelectionKey.OP_READ);
                } catch (OutOfMemoryError e) {
                    // The list is full.
                }
            }
        }
    }
}
