package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.socket.FrameException;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jbmi.zbmi.socket.LinkWelcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One remote client: its socket, and once it is welcome its relay. For the gateway's thread, but
 * for {@link #getsNoAnswer}.
 *
 * <pre>
 *   GREETING --> ATTACHING --> OPEN --> over
 *       `------------`--> PARTING ------^      refused: until it has read why
 * </pre>
 */
final class RemoteClient {
    /** Its state. */
    enum State {
        GREETING,
        ATTACHING,
        OPEN,
        PARTING
    }

    private static final long PARTING_NS = 1_000_000_000L;

    /** Limits on reading from a refused client: reads at a time, and bytes in all. */
    private static final int PARTING_READS = 4;

    private static final int PARTING_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final boolean isUnix;
    private final ByteBuffer greeting = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
    private SelectionKey key;
    private State state = State.GREETING;
    private long deadlineNs;
    private @Nullable GatewayRelay relay;
    private @Nullable PeerAttachment lane;
    private @Nullable SelectionKey laneKey;
    private int partingBytes;
    private boolean isHot;
    private boolean isClosed;
    private volatile boolean isWithoutAnswer;
    private long countedFramesIn;
    private long countedFramesOut;
    private long countedBytesIn;
    private long countedBytesOut;

    /**
     * Makes one from a connection.
     *
     * @param channel non-blocking
     * @param isUnix whether it came over a Unix-domain socket
     */
    RemoteClient(SocketChannel channel, Selector selector, boolean isUnix, long deadlineNs)
            throws IOException {
        this.channel = channel;
        this.isUnix = isUnix;
        this.deadlineNs = deadlineNs;
        this.key = channel.register(selector, SelectionKey.OP_READ, this);
        greeting.limit(Integer.BYTES);
    }

    boolean isUnix() {
        return isUnix;
    }

    State state() {
        return state;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** There was no memory for the engine's answer. Any thread; allocates nothing. */
    void getsNoAnswer() {
        isWithoutAnswer = true;
    }

    /** Whether it waits for an answer of the engine that does not come. */
    boolean waitsForNothing() {
        return isWithoutAnswer && isAttaching();
    }

    /** Whether it waits for the engine's answer. */
    boolean isAttaching() {
        return state == State.ATTACHING && !isClosed;
    }

    boolean isHot() {
        return isHot;
    }

    void isHot(boolean nowHot) {
        isHot = nowHot;
    }

    /** Its present deadline; {@link Long#MAX_VALUE} if it has none. */
    long deadlineNs() {
        return state == State.OPEN ? Long.MAX_VALUE : deadlineNs;
    }

    /**
     * Reads its hello, and no byte more.
     *
     * @throws FrameException if it is not a hello
     */
    boolean greet() throws IOException {
        while (true) {
            int count = channel.read(greeting);
            if (count < 0) {
                throw new IOException("it hung up");
            }
            if (greeting.hasRemaining()) {
                return false;
            }
            int length = LinkHandshake.length(greeting);
            if (greeting.position() == length) {
                LinkHandshake.checkHello(greeting.flip());
                return true;
            }
            greeting.limit(length);
        }
    }

    /** It waits for the engine's answer, until a deadline. */
    void attaching(long newDeadlineNs) {
        state = State.ATTACHING;
        deadlineNs = newDeadlineNs;
        key.interestOps(0);
    }

    /** Sends the refusal, and waits a little for the client to read it. */
    void refuse(ErrorCode code, String sentence, long nowNs) throws IOException {
        state = State.PARTING;
        deadlineNs = nowNs + PARTING_NS;
        channel.write(LinkHandshake.refused(code, sentence));
        channel.shutdownOutput();
        key.interestOps(SelectionKey.OP_READ);
    }

    /**
     * Reads and drops some of its bytes, since closing the socket with unread bytes would reset it
     * and lose the refusal.
     *
     * @return false at the end of the stream, or if it sends too much
     */
    boolean part() throws IOException {
        for (int i = 0; i < PARTING_READS; i++) {
            int count = channel.read(greeting.clear());
            if (count <= 0) {
                return count == 0;
            }
            partingBytes += count;
        }
        return partingBytes < PARTING_BYTES;
    }

    /** The engine has accepted it: from now on it has a relay. */
    void open(PeerAttachment attachment, Selector selector) throws IOException {
        attachment
                .map()
                .session(attachment.welcome().session())
                .markRelayed(attachment.memory(), attachment.welcome().generation());
        GatewayRelay opened =
                new GatewayRelay(
                        channel,
                        channel,
                        events -> new ShmClientLink(attachment, events),
                        attachment.memory(),
                        attachment.map());
        relay = opened;
        lane = attachment;
        state = State.OPEN;
        LinkWelcome welcome =
                new LinkWelcome(
                        attachment.welcome().generation(),
                        attachment.map().geometry().eagerSlots(),
                        attachment.welcome().limits());
        ByteBuffer answer = LinkHandshake.welcome(welcome);
        channel.write(answer);
        if (answer.hasRemaining()) {
            throw new IOException("it has no room for a welcome");
        }
        laneKey = attachment.socket().register(selector, SelectionKey.OP_READ, opened);
        isHot = true;
    }

    private GatewayRelay relay() {
        GatewayRelay open = relay;
        if (open == null) {
            throw new IllegalStateException("no relay yet");
        }
        return open;
    }

    /**
     * Does the work that is possible now.
     *
     * @return whether there may be more; otherwise the selector will report it
     */
    boolean serve(long nowNs, GatewayCounters counters) throws IOException {
        GatewayRelay open = relay();
        boolean isBusy;
        try {
            isBusy = open.pump(nowNs) || !open.prepareSleep();
        } finally {
            count(open, counters);
        }
        select(
                key,
                (open.wantsRead() ? SelectionKey.OP_READ : 0)
                        | (open.wantsWrite() ? SelectionKey.OP_WRITE : 0));
        select(laneKey, open.wantsLane() ? SelectionKey.OP_READ : 0);
        return isBusy;
    }

    private static void select(@Nullable SelectionKey key, int interest) {
        if (key != null && key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    boolean isStalled(long nowNs, long stallNs) {
        GatewayRelay open = relay;
        return open != null && open.isStalled(nowNs, stallNs);
    }

    boolean hasTransfers() {
        GatewayRelay open = relay;
        return open != null && open.hasTransfers();
    }

    private void count(GatewayRelay open, GatewayCounters counters) {
        long framesIn = open.framesReceived();
        long framesOut = open.framesSent();
        long bytesIn = open.bytesReceived();
        long bytesOut = open.bytesSent();
        counters.framesReceived.addBySingleWriter(framesIn - countedFramesIn);
        counters.framesSent.addBySingleWriter(framesOut - countedFramesOut);
        counters.bytesReceived.addBySingleWriter(bytesIn - countedBytesIn);
        counters.bytesSent.addBySingleWriter(bytesOut - countedBytesOut);
        countedFramesIn = framesIn;
        countedFramesOut = framesOut;
        countedBytesIn = bytesIn;
        countedBytesOut = bytesOut;
    }

    /** Whether this is its session. */
    @SuppressWarnings("ReferenceEquality") // the very session
    boolean has(PeerAttachment other) {
        return lane == other;
    }

    /** Whether this is its relay. */
    @SuppressWarnings("ReferenceEquality") // the very relay
    boolean has(GatewayRelay other) {
        return relay == other;
    }

    /** Closes its socket and its session, each also if the other one fails. */
    void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        isHot = false;
        try {
            closeSocket();
        } finally {
            closeRelay();
        }
    }

    private void closeSocket() {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(RemoteClient.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a socket", e);
        } finally {
            // A close that finds no memory leaves the key valid. The socket would then stay open,
            // and end each wait of the selector at once.
            key.cancel();
        }
    }

    private void closeRelay() {
        GatewayRelay open = relay;
        PeerAttachment attachment = lane;
        if (open != null && attachment != null) {
            if (!open.hasSaidGoodbye()) {
                attachment.clientLost();
            }
            try {
                open.close();
            } finally {
                if (laneKey != null) {
                    laneKey.cancel(); // for the same reason
                }
            }
        }
    }
}
