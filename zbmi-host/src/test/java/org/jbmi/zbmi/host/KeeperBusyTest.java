package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Ring;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One client has much to say, and the server's program never calls. */
@Timeout(60)
class KeeperBusyTest {
    /** Without a reason to wake up, the keeper would not do so during a test. */
    private static final long SLICE_NS = TimeUnit.DAYS.toNanos(1);

    /** From one look at the clock to the next: so long that each round looks at all sessions. */
    private static final long LEAP_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long HANDSHAKE_NS = Long.MAX_VALUE / 2;
    private static final int MANY = 1000;

    @TempDir private Path folder;

    private final AtomicLong nowNs = new AtomicLong();
    private final PlayedHost host = new PlayedHost(() -> nowNs.addAndGet(LEAP_NS));
    private final CountDownLatch polls = new CountDownLatch(MANY);
    private final CountDownLatch isHeardAgain = new CountDownLatch(1);
    private final EngineParts parts = host.parts(new Lanes());
    private final DirectEngine engine =
            new DirectEngine(parts, host.output, host.context, SLICE_NS);
    private SocketChannel client;
    private volatile LanePort port = new NeverEmpty();
    private Keeper keeper;

    private final class Lanes implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return (segment, welcome, maxBacklog) -> port;
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    private class NeverEmpty extends QuietPort {
        private long calls;

        NeverEmpty() {
            super(host);
        }

        @Override
        public int poll(Message into) {
            polls.countDown();
            ClientRequests.test(into, ++calls, 0);
            return RECEIVED;
        }

        @Override
        public boolean goCold() {
            return false;
        }
    }

    /** Falls silent, and rings as soon as the engine is asleep. */
    private final class Ringing extends NeverEmpty {
        private boolean hasRung;

        @Override
        public int poll(Message into) {
            if (hasRung) {
                isHeardAgain.countDown();
            }
            return polls.getCount() > 0 ? super.poll(into) : EMPTY;
        }

        @Override
        public boolean goCold() {
            boolean isQuiet = polls.getCount() == 0;
            if (isQuiet && !hasRung) {
                hasRung = true;
                say(new Ring());
            }
            return isQuiet;
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
                        HANDSHAKE_NS);
        Sessions sessions = new Sessions(folder.resolve("socket"), patient, 4, engine);
        engine.use(sessions::wakeup);
        parts.table().use(parts.engine(), sessions::request);
        parts.table().attachOwnServer(1);
        engine.opened(new HeardEvents());
        DirectDoor door =
                new DirectDoor(
                        engine, new HeardEvents(), host.context.clock(), SLICE_NS, mostNs -> {});
        keeper = new Keeper(sessions, engine, door, host.context, 0, () -> {});
        keeper.start();
    }

    @AfterEach
    void stop() throws IOException {
        keeper.stop(TimeUnit.SECONDS.toNanos(10));
        client.close();
    }

    private SocketChannel connected() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("socket")));
    }

    private void say(HandshakeFrame frame) {
        try {
            client.write(HandshakeCodec.encode(frame));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void attach() throws IOException {
        client = connected();
        say(new Hello(PeerRole.CLIENT, ProcessHandle.current().pid(), 0, "shm"));
        say(new Ring());
    }

    @Test
    void theKeeperLooksAtItsSocketsWhileItLeads() throws Exception {
        attach();
        polls.await();
        expectAnswer();
        assertThat(engine.failure()).isNull();
    }

    @Test
    void aRingThatMeetsTheKeepersLastLookWhileItLeadsIsHeard() throws Exception {
        port = new Ringing();
        attach();
        isHeardAgain.await();
        assertThat(engine.failure()).isNull();
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
