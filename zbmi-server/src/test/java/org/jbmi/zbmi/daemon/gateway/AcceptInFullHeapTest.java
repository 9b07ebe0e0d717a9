package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Remote clients that come while the JVM has no memory left. */
@Timeout(60)
class AcceptInFullHeapTest {
    @Test
    void noClientIsLost() throws Exception {
        assertThat(FullHeap.outputOf(Accepts.class, "16m")).isEqualTo("4 of 4 accepted");
    }

    /** Takes a client each time that there is one piece of memory, which is longer each time. */
    static final class Accepts {
        private static final int TIMES = 4;
        private static final int STEP_BYTES = 96;
        private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
        private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

        private final Selector selector;
        private final GatewayListener listener;
        private final GatewayLoop loop;
        private final Counter accepted;
        private final Object[] numbers = new Object[1000];
        private final @Nullable Object[] filler = new Object[3];

        private Accepts() throws IOException {
            GatewaySettings settings =
                    new GatewaySettings(
                            "",
                            Set.of(),
                            "127.0.0.1",
                            0,
                            AddressRanges.parse(""),
                            TIMES,
                            LONG_NS,
                            LONG_NS);
            Counters counters = Counters.inMemory();
            selector = Selector.open();
            listener = GatewayListener.tcp("127.0.0.1", 0);
            loop =
                    new GatewayLoop(
                            settings,
                            new GatewayAccess(settings, channel -> "self", "self"),
                            selector,
                            List.of(listener),
                            new Nobody(),
                            NanoClock.SYSTEM,
                            new ErrorLog(text -> {}),
                            new GatewayCounters(counters));
            accepted = counters.find("zbmi.gateway.accepted");
        }

        public static void main(String[] arguments) throws IOException {
            Accepts first = new Accepts();
            first.run(1); // loads the classes
            System.out.printf("%d of %d accepted", new Accepts().run(TIMES), TIMES);
            first.listener.close(); // until here it is kept, with its sockets
        }

        private long run(int times) throws IOException {
            InetAddress address = InetAddress.getLoopbackAddress();
            int port = ((InetSocketAddress) listener.channel().getLocalAddress()).getPort();
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 1; i <= times; i++) {
                clients.add(SocketChannel.open(new InetSocketAddress(address, port)));
                turnInFullHeap(i * STEP_BYTES);
                long endNs = System.nanoTime() + PATIENCE_NS;
                while (accepted.get() < i && System.nanoTime() - endNs < 0) {
                    selector.wakeup();
                    loop.turn();
                }
            }
            for (SocketChannel client : clients) {
                client.close();
            }
            return accepted.get();
        }

        private void turnInFullHeap(int freeBytes) throws IOException {
            filler[0] = new byte[freeBytes];
            filler[1] = FullHeap.fill();
            filler[2] = FullHeap.fill(2, 2); // the collector finds a few more pieces
            takeNumbers();
            filler[0] = null;
            loop.turn();
            filler[1] = null;
            filler[2] = null;
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
    }

    /** Attaches no client. */
    private static final class Nobody implements ClientAttacher {
        @Override
        public boolean start(RemoteClient client) {
            return false;
        }

        @Override
        public @Nullable Result poll() {
            return null;
        }
    }
}
