package org.jbmi.zbmi.host;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeException;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One socket of the host. The thread of {@link Sessions} owns it, except for the engine's requests.
 * These are a set of bits, so a connection is in the queue of requests at most once. So the number
 * of connections bounds the queue.
 */
final class Connection extends LinkedNode {
    /** The answer to the hello is ready. */
    static final int ANSWER = 1;

    /** The engine ends its session because the peer broke the protocol. */
    static final int EVICT = 2;

    /** The peer sleeps in a selector and must read its lane. */
    static final int WAKE = 4;

    /** The engine ends its session without a fault of the peer. */
    static final int SEND_AWAY = 8;

    /**
     * The end of its session by the engine, to come in this round; for the engine's thread. It
     * names the connection, since the session may belong to another one before the round ends.
     */
    static final class Eviction extends LinkedNode {
        private final Connection connection;
        private int how;

        Eviction(Connection connection) {
            this.connection = connection;
        }

        Connection connection() {
            return connection;
        }

        int how() {
            return how;
        }
    }

    private final SocketChannel channel;
    private final Eviction eviction = new Eviction(this);
    private final PeerNews.Untold untold = new PeerNews.Untold(this);
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
    private volatile boolean isUnheard;
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

    /** What the engine has not heard of it yet. */
    PeerNews.Untold untold() {
        return untold;
    }

    /**
     * Adds it to those whose sessions end with this round, unless it is there; allocates nothing.
     *
     * @param how {@link #EVICT} or {@link #SEND_AWAY}
     */
    void evictLater(IntrusiveList<Eviction> evictions, int how) {
        if (!eviction.isListed()) {
            eviction.how = how;
            evictions.addLast(eviction);
        }
    }

    long handshakeDeadlineNs() {
        return handshakeDeadlineNs;
    }

    /**
     * Keeps a question until it is answered, with a new deadline.
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

    /** The question without an answer yet; null if there is none. */
    @Nullable AskOperations question() {
        return question;
    }

    /** The answer is on its way. */
    void answered() {
        question = null;
    }

    /** Whether its goodbye was for a remote client that was lost. */
    boolean isLost() {
        return isLost;
    }

    void isLost(boolean wasLost) {
        isLost = wasLost;
    }

    /** Whether its session has ended already, so that its goodbye frees the session. */
    boolean isSentAway() {
        return isSentAway;
    }

    /** The owner of the socket is ending its session. */
    void markSentAway() {
        isSentAway = true;
    }

    @Nullable Hello hello() {
        return hello;
    }

    /** The hello of the peer; only after it has come. */
    Hello peer() {
        return Objects.requireNonNull(hello, "no hello yet");
    }

    void hello(Hello frame) {
        hello = frame;
    }

    boolean isOpen() {
        return open;
    }

    /** Whether the engine has a session for it, and must be told of its end. */
    boolean isAttached() {
        return attached;
    }

    void attached(boolean isAttached) {
        attached = isAttached;
    }

    /** Whether its welcome has been written: then it expects single bytes. */
    boolean isWelcomed() {
        return welcomed;
    }

    void isWelcomed(boolean isNow) {
        welcomed = isNow;
    }

    /** Whether its socket closed before its welcome was written: it knows of no session. */
    boolean isUnheard() {
        return isUnheard;
    }

    /** Tells a peer in a session that the server has closed normally. */
    void sayServerClosed() throws IOException {
        if (welcomed) {
            writeByte(HandshakeCodec.CLOSED);
        }
    }

    /** The session that the engine gave it, -1 for none. */
    int session() {
        return session;
    }

    /** From the engine's thread: the answer for the peer, and its session, -1 for none. */
    void answer(HandshakeFrame frame, int newSession) {
        session = newSession;
        answer = frame;
    }

    @Nullable HandshakeFrame answer() {
        return answer;
    }

    /** Sets a request; returns whether the connection must be put into the queue. */
    boolean request(int bit) {
        int seen = requests.get();
        // Without a lambda, which would take memory: a shortage must lose no request.
        while (!requests.compareAndSet(seen, seen | bit)) {
            seen = requests.get();
        }
        return seen == 0;
    }

    int takeRequests() {
        return requests.getAndSet(0);
    }

    /** Reads what is there. Returns false at the end of the stream. */
    boolean read() throws IOException {
        int count = channel.read(received);
        return count >= 0;
    }

    /** The next whole frame, or null. It stays until it has been {@link #taken}. */
    @Nullable HandshakeFrame nextFrame() throws HandshakeException {
        ByteBuffer in = received.duplicate().flip();
        int length = HandshakeCodec.frameLength(in);
        return length < 0 || in.remaining() < length ? null : HandshakeCodec.decode(in);
    }

    /** The next frame has been taken. */
    void taken(SessionCounters counters) throws HandshakeException {
        received.flip();
        int length = HandshakeCodec.frameLength(received);
        counters.received(length);
        received.position(length).compact();
    }

    /** Writes a frame into an empty socket buffer, which always has room; returns its length. */
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

    /** A full socket buffer needs no further byte: the peer has bytes to wake up by. */
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
        isUnheard = !welcomed;
        // Without memory a close may fail before it tells the peer. The shutdown needs none, and
        // the first use of a class that helps would need some.
        try (channel) {
            if (channel.isConnected()) {
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            // The peer has closed it already.
        }
    }
}
