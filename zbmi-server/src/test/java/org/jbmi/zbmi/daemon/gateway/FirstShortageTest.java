package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.observe.Counters;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A gateway whose JVM has no memory for the first time: what it says then has never been said. */
@Timeout(60)
class FirstShortageTest {
    private static final long PATIENCE_S = 30;

    @TempDir private Path folder;

    @Test
    void theGatewayGoesOn() throws Exception {
        assertThat(FullHeap.outputOf(Gateway.class, "16m", PATIENCE_S, folder.toString()))
                .isEqualTo("went on, served 2");
    }

    /** Serves a client, and one that comes with a full heap when there is memory again. */
    static final class Gateway implements ClientAttacher {
        private static final long LONG_NS = TimeUnit.SECONDS.toNanos(10);

        private final GatewayLoop loop;
        private final Selector selector = Selector.open();
        private long pastNs;
        private int served;

        private Gateway(UnixDomainSocketAddress address) throws Exception {
            ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(address).configureBlocking(false);
            String path = address.getPath().toString();
            GatewaySettings settings =
                    new GatewaySettings(
                            path, Set.of(), "", -1, AddressRanges.parse(""), 4, LONG_NS, LONG_NS);
            loop =
                    new GatewayLoop(
                            settings,
                            new GatewayAccess(settings, channel -> "self", "self"),
                            selector,
                            List.of(new GatewayListener(listener, OwnFile.of(address.getPath()))),
                            this,
                            () -> System.nanoTime() + pastNs,
                            new ErrorLog(text -> {}),
                            new GatewayCounters(Counters.inMemory()));
        }

        public static void main(String[] arguments) throws Exception {
            UnixDomainSocketAddress address =
                    UnixDomainSocketAddress.of(Path.of(arguments[0]).resolve("gateway.sock"));
            Gateway gateway = new Gateway(address);
            try (SocketChannel first = SocketChannel.open(address)) {
                first.write(LinkHandshake.hello(1));
                gateway.serveUntil(1);
                try (SocketChannel second = SocketChannel.open(address)) {
                    second.write(LinkHandshake.hello(1));
                    System.out.print(gateway.goesOn() ? "went on, " : "ended, ");
                    gateway.serveUntil(2);
                }
            }
            System.out.print("served " + gateway.served);
        }

        // The client that could not be taken stays in the queue of the socket.
        private boolean goesOn() throws Exception {
            Object[] filler = {FullHeap.fill()};
            try {
                loop.turn();
                loop.turn();
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            } finally {
                filler[0] = null;
                pastNs = LONG_NS; // after the pause
            }
        }

        private void serveUntil(int count) throws Exception {
            while (served < count) {
                selector.wakeup();
                loop.turn();
            }
        }

        @Override
        public boolean start(RemoteClient client) {
            served++;
            return true;
        }

        @Override
        public @Nullable Result poll() {
            return null;
        }
    }
}
