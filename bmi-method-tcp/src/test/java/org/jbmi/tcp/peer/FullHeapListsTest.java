package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Many connections that wait for the lead while the JVM has no memory left. */
@Timeout(60)
class FullHeapListsTest {
    private static final int MANY = 20;

    @Test
    void thoseThatWaitForMemoryAreServed() throws Exception {
        assertThat(FullHeap.outputOf(Waits.class, "16m")).isEqualTo("20 served");
    }

    @Test
    void thoseOfPeersThatAreDroppedEnd() throws Exception {
        assertThat(FullHeap.outputOf(Drops.class, "16m")).isEqualTo("20 ended");
    }

    /** Makes an unconnected socket, so that its end moves no bytes. */
    private static Connection connection(TcpPeer peer) throws IOException {
        return new Connection(SocketChannel.open(), peer, false, InetAddress.getLoopbackAddress());
    }

    /** Frees memory for which all connections wait, with a full heap that gets emptier. */
    static final class Waits {
        private final PartsHost host = new PartsHost();
        private final TcpState state = new TcpState(host, new TcpSettings(host.configuration()));
        private final Filler filler = new Filler();

        private Waits() {}

        public static void main(String[] args) throws IOException {
            Waits first = new Waits();
            int served = first.run(false); // loads the classes
            served = Math.min(served, new Waits().run(true));
            System.out.print(served + " served");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private int run(boolean isFull) throws IOException {
            for (int i = 0; i < MANY; i++) {
                state.stall(connection(new TcpPeer(List.of(), "peer", 0)));
            }
            state.memoryFreed();
            if (isFull) {
                filler.fill();
            }
            boolean isLeft = true;
            while (isLeft) {
                try {
                    state.attendStalled();
                    isLeft = false;
                } catch (OutOfMemoryError e) {
                    isLeft = filler.freeOne();
                }
            }
            filler.free();
            state.memoryFreed();
            state.attendStalled();
            int served = 0;
            for (int left = state.attentionCount(); left > 0; left--) {
                served += state.pollAttention() == null ? 0 : 1;
            }
            return served;
        }
    }

    /** Drops peers with a full heap, each with a connection. */
    static final class Drops {
        private final TcpMethod method = TcpMethod.open(new PartsHost(), List.of());
        private final TcpPeer[] peers = new TcpPeer[MANY];
        private final Connection[] connections = new Connection[MANY];
        private final Filler filler = new Filler();

        private Drops() {}

        public static void main(String[] args) throws IOException {
            Drops first = new Drops();
            int ended = first.run(false); // loads the classes
            ended = Math.min(ended, new Drops().run(true));
            System.out.print(ended + " ended");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private int run(boolean isFull) throws IOException {
            for (int i = 0; i < MANY; i++) {
                peers[i] = (TcpPeer) method.lookup("tcp://127.0.0.1:" + (5000 + i));
                connections[i] = connection(peers[i]);
                peers[i].connections.add(connections[i]);
            }
            if (isFull) {
                filler.fill();
            }
            for (TcpPeer peer : peers) {
                if (isFull) {
                    filler.fillUp();
                }
                try {
                    method.disconnect(peer);
                } catch (OutOfMemoryError e) {
                    // The program hears it; the connection ends all the same.
                }
            }
            filler.free();
            method.waitable().poll();
            int ended = 0;
            for (Connection connection : connections) {
                ended += connection.ended ? 1 : 0;
            }
            method.close();
            return ended;
        }
    }
}
