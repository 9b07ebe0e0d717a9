package org.jbmi.zbmi.socket;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * The gateway's end of one client's link: an ordinary client of the engine that does as the frames
 * say. Messages pass through it; payload goes between the socket and the place granted in the
 * segment. It claims what its client has claimed, so it alone moves bytes in the segment, and a
 * link that breaks ends all its transfers at once.
 *
 * <p>All that a client can make it keep is bounded: it reads no further while the engine's lane or
 * its own buffer toward the client is full. Not thread-safe; waits for nothing.
 */
public final class GatewayRelay {
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    /** Room for all that one look into the lane can bring. */
    private static final int EVENT_ROOM = 260 * LinkFrame.MESSAGE_BYTES + RelayRequests.ANSWER_ROOM;

    private static final int MAX_READS = 4;

    private final ScatteringByteChannel in;
    private final GatheringByteChannel out;
    private final FrameWriter writer = new FrameWriter();
    private @Nullable ClientLink lane;
    private @Nullable RelayRequests requests;
    private @Nullable FrameReader reader;
    private @Nullable String laneBroken;
    private boolean isLaneAsleep;
    private long readBytes;
    private long writtenBytes;

    /** Opens the relay's client of the engine. */
    @FunctionalInterface
    public interface LaneOpener {
        /**
         * Opens it.
         *
         * @param events for what comes by itself
         */
        ClientLink open(PeerEvents events);
    }

    /**
     * Opens a relay.
     *
     * @param in what the client sends; non-blocking, past the handshake
     * @param out what goes to it; non-blocking
     * @param opener opens the client of the engine, which the relay owns
     * @param memory the segment
     * @param map where everything lies in it
     */
    public GatewayRelay(
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
        if (part == null) {
            throw new IllegalStateException("The relay is not open yet.");
        }
        return part;
    }

    /**
     * Does what can be done now, a bounded part of it.
     *
     * @param nowNs the time
     * @return whether anything was done
     * @throws FrameException if the client broke the protocol; what, as "it ..."
     * @throws EOFException if the client hung up
     * @throws IOException if the link or the engine's session is broken
     */
    public boolean pump(long nowNs) throws IOException {
        RelayRequests handler = requests();
        FrameReader source = reader();
        long before = readBytes + writtenBytes + source.frames();
        handler.now(nowNs);
        handler.sayDones();
        flush();
        int dispatched = writer.room() >= EVENT_ROOM ? lane().progress() : 0;
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

    // What the engine said last is still true. All as far as there is room: nobody waits here.
    private void takeLeave() throws IOException {
        boolean isServerClosed = lane().brokenCode() == ErrorCode.EPIPE;
        if (isServerClosed && writer.room() >= LinkFrame.HEADER_BYTES) {
            writer.bare(LinkFrame.GOODBYE);
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

    /** Whether to be called when the client has sent something. */
    public boolean wantsRead() {
        return !reader().isBlocked();
    }

    /** Whether to be called when the client has room. */
    public boolean wantsWrite() {
        return writer.hasPending();
    }

    /**
     * Says that nothing will be done until the client's socket or the lane's wakes the relay, then
     * looks once more.
     *
     * @return false if there is something to do now
     */
    public boolean prepareSleep() {
        if (writer.room() < EVENT_ROOM) {
            return true; // there is something to write, and the client's socket will say when
        }
        if (isLaneAsleep && lane().isSleepOver()) {
            laneReady(); // its byte may have been read by a look for the end of the stream
        }
        if (!isLaneAsleep) {
            if (!lane().prepareSleep(true)) {
                return false;
            }
            isLaneAsleep = true;
        }
        return !requests().canGoOn(reader().isBlocked());
    }

    /** The lane's socket has something. */
    public void laneReady() {
        if (isLaneAsleep) {
            isLaneAsleep = false;
            lane().finishSleep();
        }
    }

    /**
     * Whether the client holds a transfer up.
     *
     * @param nowNs the time
     * @param stallNs how long it may
     */
    public boolean isStalled(long nowNs, long stallNs) {
        return requests().isStalled(nowNs, stallNs);
    }

    /** Whether any transfer is under way, so that {@link #isStalled} must be asked. */
    public boolean hasTransfers() {
        return requests().transfers() > 0;
    }

    /** All frames that came. */
    public long framesReceived() {
        return reader().frames();
    }

    /** All frames that went. */
    public long framesSent() {
        return writer.frames();
    }

    /** All bytes that came, in frames and payload. */
    public long bytesReceived() {
        return readBytes;
    }

    /** All bytes that went. */
    public long bytesSent() {
        return writtenBytes;
    }

    /** Whether the client has taken its leave. */
    public boolean hasSaidGoodbye() {
        return requests().isOver();
    }

    /** Takes leave of the engine: what was under way ends there. The sockets are the caller's. */
    public void close() {
        lane().close();
    }

    /** What the engine says goes on to the client, after the relay has made its notes of it. */
    private final class FromEngine implements PeerEvents {
        @Override
        public void onEvent(Message message) {
            if (message.kind() == ClientEvents.TEST_REPLY) {
                forward(message);
                return;
            }
            RelayOperation operation = requests().find(ClientEvents.reference(message));
            if (operation == null) {
                // It is withdrawn; but whoever waits for the answer to a call must have one.
                if (ClientEvents.correlation(message) != 0) {
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
