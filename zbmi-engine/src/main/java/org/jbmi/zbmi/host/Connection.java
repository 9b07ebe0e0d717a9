package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.AskOperations;
import org.jbmi.zbmi.protocol.HandshakeCodec;
import org.jbmi.zbmi.protocol.HandshakeException;
import org.jbmi.zbmi.protocol.HandshakeFrame;
import org.jbmi.zbmi.protocol.Hello;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One socket of the daemon. Owned by the sessions thread, except for the requests that the engine's
 * thread leaves in it: a set of bits, so that a connection stands in the queue of requests at most
 * once and that queue is bounded by the number of connections.
 */
final class Connection {
    /** The answer to the hello is there. */
    static final int ANSWER = 1;

    /** The engine wants its session to end, since the peer broke the protocol. */
    static final int EVICT = 2;

    /** The peer sleeps in a selector and must look into its lane. */
    static final int WAKE = 4;

    /** The engine wants its session to end, through no fault of the peer's. */
    static final int SEND_AWAY = 8;

    private final SocketChannel channel;
    private final ByteBuffer received = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
    private final ByteBuffer oneByte = ByteBuffer.allocate(1);
    private final AtomicInteger requests = new AtomicInteger();

    private long handshakeDeadlineNs;
    private @Nullable Hello hello;
    private volatile @Nullable AskOperations question;
    private volatile @Nullable HandshakeFrame answer;
    private volatile int session = -1;
    private volatile boolean isLost;
    private volatile boolean isSentAway;
    private boolean open = true;
    private boolean attached;
    private boolean welcomed;

    Connection(SocketChannel channel, long handshakeDeadlineNs) {
        this.channel = channel;
        this.handshakeDeadlineNs = handshakeDeadlineNs;
    }

    SocketChannel channel() {
        return channel;
    }

    long handshakeDeadlineNs() {
        return handshakeDeadlineNs;
    }

    /**
     * Keeps what is asked until it is answered; it may take its time again after that.
     *
     * @return false if the last question is not answered yet
     */
    boolean ask(AskOperations newQuestion, long newDeadlineNs) {
        if (question != null) {
            return false;
        }
        handshakeDeadlineNs = newDeadlineNs;
        answer = null;
        question = newQuestion;
        return true;
    }

    /** What is asked and not answered; null if nothing is. */
    @Nullable AskOperations question() {
        return question;
    }

    /** The answer is on its way. */
    void answered() {
        question = null;
    }

    /** Whether its farewell was for a remote client that was lost. */
    boolean isLost() {
        return isLost;
    }

    void isLost(boolean wasLost) {
        isLost = wasLost;
    }

    /** Whether its session is over already, and its farewell frees the session. */
    boolean isSentAway() {
        return isSentAway;
    }

    /**
     * Ends what the peer hears, which tells it that the session is over; its farewell can still
     * come.
     */
    void sendAway() throws IOException {
        markSentAway();
        channel.shutdownOutput();
    }

    /** It is being sent away, by whoever has its socket. */
    void markSentAway() {
        isSentAway = true;
    }

    @Nullable Hello hello() {
        return hello;
    }

    /** Who it says it is; only for one that introduced itself. */
    Hello peer() {
        Hello known = hello;
        if (known == null) {
            throw new IllegalStateException("no hello yet");
        }
        return known;
    }

    void hello(Hello frame) {
        hello = frame;
    }

    boolean isOpen() {
        return open;
    }

    /** Whether the engine knows it as a session, so that it must be told of its end. */
    boolean isAttached() {
        return attached;
    }

    void attached(boolean isAttached) {
        attached = isAttached;
    }

    /** Its welcome has been written: from now on it expects single bytes. */
    void welcomed() {
        welcomed = true;
    }

    /** Tells a peer that is in a session that the server has closed in good order. */
    void sayServerClosed() throws IOException {
        if (welcomed) {
            writeByte(HandshakeCodec.CLOSED);
        }
    }

    /** The session that the engine gave it, -1 for none. */
    int session() {
        return session;
    }

    /** From the engine's thread: what to tell the peer, and which session it has, -1 for none. */
    void answer(HandshakeFrame frame, int newSession) {
        session = newSession;
        answer = frame;
    }

    @Nullable HandshakeFrame answer() {
        return answer;
    }

    /** Leaves a request; returns whether the connection must be put into the queue. */
    boolean request(int bit) {
        return requests.getAndUpdate(seen -> seen | bit) == 0;
    }

    int takeRequests() {
        return requests.getAndSet(0);
    }

    /** Reads what is there. Returns false at the end of the stream. */
    boolean read() throws IOException {
        int count = channel.read(received);
        return count >= 0;
    }

    /** The next whole frame, or null. */
    @Nullable HandshakeFrame nextFrame(SessionCounters counters) throws HandshakeException {
        received.flip();
        try {
            int length = HandshakeCodec.frameLength(received);
            if (length < 0 || received.remaining() < length) {
                return null;
            }
            counters.received(length);
            return HandshakeCodec.decode(received);
        } finally {
            received.compact();
        }
    }

    /** Writes a frame into an empty socket buffer, which always has room; returns its bytes. */
    int write(HandshakeFrame frame) throws IOException {
        return write(HandshakeCodec.encode(frame));
    }

    int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                throw new IOException("the peer does not read its socket");
            }
        }
        return length;
    }

    /** A full socket buffer needs no further byte: the peer has plenty to wake by. */
    void writeWakeByte() throws IOException {
        writeByte(HandshakeCodec.WAKE);
    }

    private void writeByte(byte value) throws IOException {
        oneByte.clear();
        oneByte.put(value).flip();
        channel.write(oneByte);
    }

    void close() {
        open = false;
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(Connection.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a socket", e);
        }
    }
}
