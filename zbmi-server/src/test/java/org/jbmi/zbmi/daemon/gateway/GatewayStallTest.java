package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.socket.FrameHandler;
import org.jbmi.zbmi.socket.FrameReader;
import org.jbmi.zbmi.socket.FrameWriter;
import org.jbmi.zbmi.socket.LinkFrame;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jbmi.zbmi.socket.PayloadCursor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client that begins a transfer must move bytes, on a clock of the test's own. */
@Timeout(60)
class GatewayStallTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int STEPS_OF_A_STALL = 10;
    private static final int STEPS = 4 * STEPS_OF_A_STALL;
    private static final int WELCOME_BYTES = 52;
    private static final int TOO_LONG_TO_BE_EAGER = 8000;
    private static final int WAIT_MS = 20_000;
    private static final long REFERENCE = 5;
    private static final long CLAIM = 1;

    @TempDir private Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<SteppedGateway.Waiting> waiting = new ArrayList<>();
    private final ErrorLog errors = new ErrorLog(text -> {});
    private final FrameWriter writer = new FrameWriter();
    private final Offers offers = new Offers();
    private ZbmiDaemon daemon;
    private Selector selector;
    private SteppedGateway gateway;
    private SocketChannel client;
    private long nowNs = 1;

    /** Keeps the offer that comes. */
    private static final class Offers implements FrameHandler {
        private final Message offer = new Message();
        private boolean hasCome;

        @Override
        public boolean mayTake(int kind, long reference) {
            return true;
        }

        @Override
        public void onMessage(Message message, MemorySegment memory, long offset, int length) {
            if (message.kind() == ClientEvents.GRANT) {
                offer.copyFrom(message);
                hasCome = true;
            }
        }

        @Override
        public void onNote(int kind, long reference, long claim, long value) {}

        @Override
        public @Nullable PayloadCursor onData(long reference, long claim, long at, int bytes) {
            return DISCARD;
        }

        @Override
        public void onDataMoved(long bytes) {}

        @Override
        public void onDataEnd(boolean isStored) {}

        @Override
        public void onGoodbye() {}
    }

    @BeforeEach
    void connect() throws IOException {
        daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.totalBytes", "4m")
                        .start();
        open.push(daemon);
        selector = Selector.open();
        open.push(selector);
        UnixDomainSocketAddress address =
                UnixDomainSocketAddress.of(directory.resolve("gateway.sock"));
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.push(listener);
        listener.bind(address).configureBlocking(false);
        gateway =
                new SteppedGateway(
                        selector,
                        listener,
                        1,
                        STALL_NS,
                        LONG_NS,
                        () -> nowNs,
                        errors,
                        daemon.counters(),
                        waiting::add);
        client = SocketChannel.open(address);
        open.push(client);
        client.write(LinkHandshake.hello(1));
        client.configureBlocking(false);
        while (waiting.isEmpty()) {
            turn();
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private PeerAttachment attached(PeerRole role, String transport) {
        return PeerAttachment.connect(
                new AttachRequest(
                        daemon.directory().socket(),
                        role,
                        transport,
                        LONG_NS,
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness()));
    }

    private void turn() throws IOException {
        selector.wakeup();
        gateway.turn();
    }

    private void write() throws IOException {
        while (writer.hasPending()) {
            writer.write(client);
        }
    }

    private long evicted() {
        return daemon.counters().find("zbmi.gateway.evicted").get();
    }

    private void claim() throws IOException {
        open.push(attached(PeerRole.SERVER, "ring"));
        gateway.attached(waiting.getFirst(), attached(PeerRole.CLIENT, "shm"));
        ByteBuffer welcome = ByteBuffer.allocate(WELCOME_BYTES);
        while (welcome.hasRemaining()) {
            turn();
            assertThat(client.read(welcome)).isNotNegative();
        }
        Message message = new Message();
        ClientRequests.sendUnexpected(
                message,
                1,
                REFERENCE,
                0,
                0,
                TOO_LONG_TO_BE_EAGER,
                WAIT_MS,
                ClientRequests.NOT_EAGER,
                0);
        writer.message(message, MemorySegment.NULL, 0, 0);
        write();
        FrameReader reader = new FrameReader(offers, 0);
        while (!offers.hasCome) {
            turn();
            assertThat(reader.read(client)).as("%s", daemon.errors()).isNotNegative();
        }
        writer.note(LinkFrame.CLAIM, REFERENCE, CLAIM, ClientEvents.partner(offers.offer));
        write();
    }

    private int stepsToTheEnd(Runnable say) throws IOException {
        for (int step = 0; step < STEPS; step++) {
            say.run();
            write();
            turn();
            if (evicted() > 0) {
                return step;
            }
            nowNs += STALL_NS / STEPS_OF_A_STALL;
        }
        return STEPS;
    }

    @Test
    void frameAfterFrameThatMovesNothingIsAStall() throws IOException {
        claim();
        int steps = stepsToTheEnd(() -> writer.note(LinkFrame.RECALL, REFERENCE + 1, 0, 0));
        assertThat(steps).isBetween(STEPS_OF_A_STALL, STEPS_OF_A_STALL + 2);
        assertThat(errors.entries()).anyMatch(e -> e.text().contains("held a transfer up"));
    }

    @Test
    void aPauseOfTheGatewayIsNone() throws IOException {
        claim();
        turn();
        nowNs += 10 * STALL_NS;
        int steps = stepsToTheEnd(() -> writer.note(LinkFrame.RECALL, REFERENCE + 1, 0, 0));
        assertThat(steps).isBetween(STEPS_OF_A_STALL, STEPS_OF_A_STALL + 2);
    }

    @Test
    void aByteNowAndThenIsNone() throws IOException {
        claim();
        for (int step = 0; step < STEPS; step++) {
            ByteBuffer data = ByteBuffer.allocate(41).order(ByteOrder.LITTLE_ENDIAN);
            data.putInt(41).putInt(0x4c4d425a).putInt(LinkFrame.VERSION).putInt(LinkFrame.DATA);
            data.putLong(REFERENCE).putLong(CLAIM).putLong(step).put((byte) 1).flip();
            assertThat(client.write(data)).isEqualTo(41);
            turn();
            nowNs += STALL_NS / 2;
        }
        assertThat(evicted()).isZero();
        assertThat(errors.entries()).isEmpty();
    }
}
