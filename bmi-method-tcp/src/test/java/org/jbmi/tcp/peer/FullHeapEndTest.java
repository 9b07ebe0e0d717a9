package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Connections and peers that end while the JVM has no memory left. */
@Timeout(60)
class FullHeapEndTest {
    private static final int MANY = 10_000;

    @Test
    void theReceivesOfItsPeerEnd() throws Exception {
        assertThat(FullHeap.outputOf(Ends.class, "24m")).isEqualTo("ended");
    }

    @Test
    void theMessagesOfAPeerThatHasGoneAreDropped() throws Exception {
        assertThat(FullHeap.outputOf(Drops.class, "24m")).isEqualTo("0 bytes, 0 peers");
    }

    /** Takes also the pieces in which a number has room. */
    private static Object[] fill() {
        Object[] filler = new Object[MANY];
        filler[0] = FullHeap.fill();
        try {
            for (int i = 1; i < MANY; i++) {
                filler[i] = new Object();
            }
        } catch (OutOfMemoryError e) {
            // Nothing has room any more.
        }
        return filler;
    }

    /** Ends the connection of a server that has sent its hash. */
    static final class Ends {
        private static final int HASH = 123_456; // no number of which the JDK has an object

        private final PartsHost host = new PartsHost();
        private final TcpState state = new TcpState(host, new TcpSettings(host.configuration()));
        private final Directory directory = new Directory(state, new Names(state));
        private final Endings endings = new Endings(state, directory);

        private static final class Receive extends Operation {}

        private Ends() {}

        public static void main(String[] args) throws IOException {
            Ends ends = new Ends();
            ends.run(false); // loads the classes
            System.out.print(ends.run(true));
        }

        private String run(boolean isFull) throws IOException {
            TcpPeer peer = new TcpPeer(List.of(), "peer", 0);
            MatchTable.Entry entry = peer.table.findOrAdd(0, 1);
            entry.receives().addLast(new Receive());
            try (SocketChannel channel = SocketChannel.open()) {
                Connection connection = new Connection(channel, peer, true, null);
                peer.connections.add(connection);
                state.connections.add(connection);
                directory.identify(connection, HASH);
                Object[] filler = isFull ? fill() : new Object[1];
                try {
                    endings.end(connection, TcpCodes.EPIPE);
                } catch (OutOfMemoryError e) {
                    // What needs memory failed; the rest is done.
                }
                filler[0] = null;
            }
            return entry.isEmpty() ? "ended" : "pending";
        }
    }

    /** Drops the messages of a peer whose time has passed. */
    static final class Drops {
        private static final int SIZE_BYTES = 5000;

        private final PartsHost host = new PartsHost();
        private final TcpState state = new TcpState(host, new TcpSettings(host.configuration()));
        private final Directory directory = new Directory(state, new Names(state));
        private final Endings endings = new Endings(state, directory);

        private Drops() {}

        public static void main(String[] args) {
            Drops drops = new Drops();
            drops.run(false); // loads the classes
            System.out.print(drops.run(true));
        }

        private String run(boolean isFull) {
            TcpPeer peer = new TcpPeer(List.of(), "gone", 0);
            peer.handle(this);
            peer.failure = TcpCodes.EPIPE;
            EarlyMessage message = state.takeEarly();
            long token = state.early.allocate(peer.account, SIZE_BYTES);
            message.begin(1, SIZE_BYTES, token, state.early.segment(token));
            peer.table.findOrAdd(0, 1).sends().addLast(message);
            peer.earlyCount = 1;
            state.lingering.add(peer);
            long overdueNs = System.nanoTime();
            peer.lingerUntilNs = overdueNs;
            Object[] filler = isFull ? fill() : new Object[1];
            try {
                endings.dropOverdue(overdueNs);
            } catch (OutOfMemoryError e) {
                // The next tick tries again.
            }
            filler[0] = null;
            endings.dropOverdue(overdueNs);
            return state.counters.earlyHeldBytes.get()
                    + " bytes, "
                    + state.lingering.size()
                    + " peers";
        }
    }
}
