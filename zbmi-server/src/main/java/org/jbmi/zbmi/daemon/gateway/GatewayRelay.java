package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.socket.FrameReader;
import org.jbmi.zbmi.socket.FrameWriter;
import org.jbmi.zbmi.socket.LinkFrame;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.Objects;

/**
 * The gateway's end of one client's link: a client of the engine that acts for the remote client.
 * Messages pass through it; payload goes between the socket and the place granted in the segment.
 * It makes the claims that its client asks for, so it alone moves bytes in the segment, and all
 * transfers end when the link breaks.
 *
 * <p>A client can make it keep a bounded amount only. It reads no further while the engine's lane
 * or its own buffer to the client is full. Not thread-safe; never waits.
 */
final class GatewayRelay {
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private static final int MAX_READS = 4;

    private final ScatteringByteChannel in;
    private final GatheringByteChannel out;
    private final FrameWriter writer = new FrameWriter();
    private @Nullable ClientLink lane;
    private @Nullable RelayRequests requests;
    private @Nullable FrameReader reader;
    private @Nullable String laneBroken;
    private boolean isLaneAsleep;
    private boolean isLaneReady;
    private long readBytes;
    private long writtenBytes;

    /** Opens the relay's client of the engine. */
    @FunctionalInterface
    interface LaneOpener {
        /** Opens it. */
        ClientLink open(PeerEvents events);
    }

    /**
     * Opens a relay.
     *
     * @param in from the client; non-blocking, after the handshake
     * @param out to the client; non-blocking
     * @param opener opens the client of the engine, which the relay owns
     */
    GatewayRelay(
            ScatteringByteChannel in,
            GatheringByteChannel out,
            LaneOpener opener,
            SharedMemory memory,
            SegmentMap map) {
        this.in = in;
        this.out = out;
        ClientLink opened = opener.open(new FromEngine());
        this.lane = opened;
        RelayRequests handler =
                new RelayRequests(opened, writer, memory, map, new PoolViews(memory));
        this.requests = handler;
        int eager = Math.min(opened.limits().eagerBytes(), LinkFrame.MAX_EAGER_BYTES);
        this.reader = new FrameReader(handler, eager);
    }

    private ClientLink lane() {
        return open(lane);
    }

    private RelayRequests requests() {
        return open(requests);
    }

    private FrameReader reader() {
        return open(reader);
    }

    private static <T> T open(@Nullable T part) {
        return Objects.requireNonNull(part, "The relay is not open yet.");
    }

    /**
     * Does a bounded part of the work that is possible now.
     *
     * @throws org.jbmi.zbmi.socket.FrameException if the client broke the protocol; the message
     *     describes it, as "it ..."
     * @throws EOFException if the client closed the socket
     * @throws IOException if the link or the engine's session is broken
     */
    boolean pump(long nowNs) throws IOException {
        RelayRequests handler = requests();
        FrameReader source = reader();
        long before = readBytes + writtenBytes + source.frames();
        handler.now(nowNs);
        handler.sayDones();
        flush();
        int dispatched = hasEventRoom() ? pollLane() : 0;
        if (laneBroken != null) {
            takeLeave();
            throw new IOException(laneBroken);
        }
        long count = 1;
        for (int i = 0; i < MAX_READS && count > 0 && !handler.isOver(); i++) {
            count = source.read(in);
            readBytes += Math.max(0, count);
        }
        if (count < 0 || handler.isOver()) {
            throw new EOFException("the client hung up");
        }
        handler.sayDones();
        flush();
        return dispatched > 0 || before != readBytes + writtenBytes + source.frames();
    }

    /** Whether the buffer toward the client has room for all events of one poll of the lane. */
    boolean hasEventRoom() {
        return requests().hasEventRoom();
    }

    private int pollLane() {
        if (isLaneReady) {
            isLaneReady = false;
            if (!wakeLane()) {
                lane().checkHost(); // reads what made the socket readable
            }
        }
        return lane().progress();
    }

    private boolean wakeLane() {
        boolean wasAsleep = isLaneAsleep;
        if (wasAsleep) {
            isLaneAsleep = false;
            lane().finishSleep();
        }
        return wasAsleep;
    }

    // Messages that the engine sent last still count. As far as there is room: no thread waits
    // here.
    private void takeLeave() throws IOException {
        boolean isServerClosed = lane().brokenCode() == ErrorCode.EPIPE;
        if (isServerClosed && writer.room() >= LinkFrame.HEADER_BYTES) {
            writer.goodbye();
        }
        flush();
    }

    private void flush() throws IOException {
        RelayRequests handler = requests();
        long most = RelayRequests.FLUSH_BYTES;
        while (most > 0) {
            handler.sendNextPiece();
            if (!writer.hasPending()) {
                return;
            }
            long count = writer.write(out);
            if (count == 0) {
                return;
            }
            writtenBytes += count;
            most -= count;
            handler.written();
        }
    }

    /** Whether to call {@link #pump} when the client has sent something. */
    boolean wantsRead() {
        return !reader().isBlocked();
    }

    /** Whether to call {@link #pump} when the socket has room. */
    boolean wantsWrite() {
        return writer.hasPending();
    }

    /**
     * Whether to wait for the lane's socket. The end of the lane makes it readable for ever, and
     * the last events need room. So the loop does not look at it again before they have room.
     */
    boolean wantsLane() {
        return !isLaneReady;
    }

    /**
     * Announces that the relay sleeps until the client's socket or the lane's wakes it, then polls
     * once more.
     *
     * @return false if there is work now
     */
    boolean prepareSleep() {
        if (!hasEventRoom()) {
            return true; // there are bytes to write, and the client's socket will have room
        }
        if (isLaneAsleep && lane().isSleepOver()) {
            wakeLane(); // a check for the end of the stream may have read its byte
        }
        if (!isLaneAsleep) {
            if (!lane().prepareSleep(true)) {
                return false;
            }
            isLaneAsleep = true;
        }
        return !requests().canGoOn(reader().isBlocked());
    }

    /** The lane's socket is readable: the next {@link #pump} that has room for events reads it. */
    void laneReady() {
        isLaneReady = true;
    }

    /** Whether the client has moved no byte of a transfer for too long. */
    boolean isStalled(long nowNs, long stallNs) {
        return requests().isStalled(nowNs, stallNs);
    }

    /** Whether any transfer is under way, so that {@link #isStalled} must be asked. */
    boolean hasTransfers() {
        return requests().transfers() > 0;
    }

    /** All frames that came. */
    long framesReceived() {
        return reader().frames();
    }

    /** All frames that went. */
    long framesSent() {
        return writer.frames();
    }

    /** All bytes that came, in frames and payload. */
    long bytesReceived() {
        return readBytes;
    }

    /** All bytes that went. */
    long bytesSent() {
        return writtenBytes;
    }

    /** Whether the client has said goodbye. */
    boolean hasSaidGoodbye() {
        return requests().isOver();
    }

    /** Says goodbye to the engine: transfers under way end there. The caller closes the sockets. */
    void close() {
        lane().close();
    }

    /** Passes the engine's messages on to the client, after the relay has updated its own state. */
    private final class FromEngine implements PeerEvents {
        @Override
        public void onEvent(Message message) {
            if (message.kind() == ClientEvents.TEST_REPLY) {
                forward(message);
                return;
            }
            RelayOperation operation = requests().find(ClientEvents.reference(message));
            boolean isAnswer = ClientEvents.correlation(message) != 0;
            if (operation == null || !(isAnswer || operation.isAnswered())) {
                // It is of an operation that is over here: withdrawn, or moved. The next one of its
                // name begins with an answer. A thread that waits for an answer must get it.
                if (isAnswer) {
                    forward(message);
                }
                return;
            }
            switch (message.kind()) {
                case ClientEvents.PENDING -> {
                    operation.operationId = ClientEvents.operationId(message);
                    forward(message);
                }
                case ClientEvents.GRANT -> {
                    if (!operation.isMoving()) {
                        requests().offer(operation, message);
                    }
                }
                default -> over(operation, message);
            }
        }

        private void over(RelayOperation operation, Message message) {
            if (operation.isMoving()) {
                if (message.kind() == ClientEvents.FAILED && operation.failure == 0) {
                    operation.failure = ClientEvents.failedCode(message);
                }
                return;
            }
            requests().forget(operation);
            forward(message);
        }

        private void forward(Message message) {
            writer.message(message, NOTHING, 0, 0);
        }

        @Override
        public void onBroken(String reason) {
            laneBroken = reason;
        }
    }
}
