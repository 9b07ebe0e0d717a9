package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.port.EnginePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One client always has more to say, and the server's program never calls. */
@Timeout(60)
class KeeperBusyTest {
    private static final long SLICE_NS = 1_000_000;
    private static final int MANY = 1000;

    @TempDir private Path folder;

    private final PlayedHost host = new PlayedHost();
    private final CountDownLatch polls = new CountDownLatch(MANY);
    private final EngineParts parts = host.parts(new Lanes());
    private final DirectEngine engine =
            new DirectEngine(parts, host.output, host.context, SLICE_NS);
    private Keeper keeper;

    private final class Lanes implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return (segment, welcome, maxBacklog) -> new NeverEmpty();
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    private final class NeverEmpty implements EnginePort {
        private long calls;

        @Override
        public int poll(Message into) {
            polls.countDown();
            ClientRequests.test(into, ++calls, 0);
            return RECEIVED;
        }

        @Override
        public boolean send(Message message) {
            return true;
        }

        @Override
        public int flush() {
            return 0;
        }

        @Override
        public int signal() {
            return SIGNALLED;
        }

        @Override
        public boolean goCold() {
            return false;
        }

        @Override
        public String brokenReason() {
            return null;
        }
    }

    @BeforeEach
    void start() throws IOException {
        HostContext patient =
                new HostContext(
                        host.context.clock(),
                        host.context.waiting(),
                        host.context.liveness(),
                        host.context.errors(),
                        host.context.sessionCounters(),
                        TimeUnit.DAYS.toNanos(1));
        Sessions sessions = new Sessions(folder.resolve("socket"), patient, 4, engine);
        engine.use(sessions::wakeup);
        parts.table().use(parts.engine(), sessions::request);
        parts.table().attachOwnServer(1, new DirectPort(host.output));
        engine.opened(new HeardEvents());
        DirectDoor door =
                new DirectDoor(
                        engine, new HeardEvents(), host.context.clock(), SLICE_NS, mostNs -> {});
        keeper = new Keeper(sessions, engine, door, host.context, 0);
        keeper.start();
    }

    @AfterEach
    void stop() {
        keeper.stop(TimeUnit.SECONDS.toNanos(10), () -> {});
    }

    private SocketChannel connected() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("socket")));
    }

    @Test
    void theKeeperLooksAtItsSocketsWhileItLeads() throws Exception {
        try (SocketChannel busy = connected()) {
            long pid = ProcessHandle.current().pid();
            busy.write(HandshakeCodec.encode(new Hello(PeerRole.CLIENT, pid, 0, "shm")));
            polls.await();
            expectAnswer();
            assertThat(engine.failure()).isNull();
        }
    }

    private void expectAnswer() throws Exception {
        try (SocketChannel asking = connected()) {
            asking.write(HandshakeCodec.encode(new AskOperations(0)));
            ByteBuffer answer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
            int length = -1;
            while (length < 0 || answer.position() < length) {
                assertThat(asking.read(answer)).as("bytes of the answer").isPositive();
                length = HandshakeCodec.frameLength(answer.duplicate().flip());
            }
            assertThat(HandshakeCodec.decode(answer.flip())).isInstanceOf(OperationsPage.class);
        }
    }
}
