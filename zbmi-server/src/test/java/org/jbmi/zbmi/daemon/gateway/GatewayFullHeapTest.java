package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.observe.Counters;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A gateway without memory for one client; the errors are played. */
@Timeout(60)
class GatewayFullHeapTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir private Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<RemoteClient> waiting = new ArrayList<>();
    private final Counters counters = Counters.inMemory();
    private Selector selector;
    private GatewayLoop loop;
    private String peer = "self";
    private boolean isClockFailing;

    @BeforeEach
    void listen() throws IOException {
        UnixDomainSocketAddress address = address();
        selector = Selector.open();
        open.push(selector);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.push(listener);
        listener.bind(address).configureBlocking(false);
        GatewaySettings settings =
                new GatewaySettings(
                        address.getPath().toString(),
                        Set.of(),
                        "",
                        -1,
                        AddressRanges.parse(""),
                        4,
                        LONG_NS,
                        LONG_NS);
        loop =
                new GatewayLoop(
                        settings,
                        new GatewayAccess(settings, channel -> peer, "self"),
                        selector,
                        List.of(new GatewayListener(listener, OwnFile.of(address.getPath()))),
                        new Attacher(),
                        this::nanoTime,
                        new ErrorLog(this::record),
                        new GatewayCounters(counters));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private final class Attacher implements ClientAttacher {
        @Override
        public boolean start(RemoteClient client) {
            waiting.add(client);
            return true;
        }

        @Override
        public @Nullable Result poll() {
            return null;
        }
    }

    private UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(directory.resolve("gateway.sock"));
    }

    // The gateway asks for the time where it makes a refusal.
    private long nanoTime() {
        if (isClockFailing) {
            isClockFailing = false;
            throw new OutOfMemoryError("played");
        }
        return System.nanoTime();
    }

    private void record(String text) {
        if (text.contains("may not use this gateway")) {
            isClockFailing = true;
        }
    }

    private SocketChannel connect(ByteBuffer first) throws IOException {
        SocketChannel client = SocketChannel.open(address());
        open.push(client);
        client.write(first);
        client.configureBlocking(false);
        return client;
    }

    private void turn() throws IOException {
        selector.wakeup();
        loop.turn();
    }

    private int readToTheEnd(SocketChannel client) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
        while (client.read(answer) >= 0) {
            assertThat(waiting).as("clients that get a session").isEmpty();
            turn();
        }
        return answer.position();
    }

    @Test
    void whoIsRefusedGetsNoSessionAlsoWithoutMemoryForTheRefusal() throws IOException {
        peer = "stranger";
        SocketChannel stranger = connect(LinkHandshake.hello(1));
        assertThat(readToTheEnd(stranger)).as("bytes of a refusal").isZero();
        turn();
        assertThat(waiting).isEmpty();
    }
}
