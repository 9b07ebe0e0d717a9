package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeException;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The peer's side of a handshake, with one deadline over all of it. Ends with {@link
 * ErrorCode#EINTR} where a thread that is interrupted would have to wait. Not thread-safe.
 */
final class HandshakeSocket {
    private static final String HOST = "the host of the engine";
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final SocketChannel channel;
    private final NanoClock clock;
    private final BooleanSupplier isOver;
    private final ByteBuffer goodbye = PeerSocket.frame(new Goodbye(false));
    private long deadlineNs;
    private boolean released;
    private boolean isGoodbyeOwed;

    private HandshakeSocket(
            SocketChannel channel, NanoClock clock, long deadlineNs, BooleanSupplier isOver) {
        this.channel = channel;
        this.clock = clock;
        this.deadlineNs = deadlineNs;
        this.isOver = isOver;
    }

    static HandshakeSocket connect(Path path, NanoClock clock, long deadlineNs) {
        return connect(path, clock, deadlineNs, AttachRequest.NEVER);
    }

    /**
     * Stops waiting as soon as the session is not wanted any more, see {@link
     * AttachRequest#isOver}.
     */
    static HandshakeSocket connect(
            Path path, NanoClock clock, long deadlineNs, BooleanSupplier isOver) {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        while (true) {
            HandshakeSocket connected = tryConnect(address, path, clock, deadlineNs, isOver);
            if (connected != null) {
                return connected;
            }
            if (deadlineNs - clock.nanoTime() <= 0) {
                throw timeout();
            }
            Interrupts.endWaitFor(HOST);
            AttachRequest.endIf(isOver);
            LockSupport.parkNanos(RETRY_NS);
        }
    }

    // Null if the host's queue of connections is full: one cannot wait for room in it.
    private static @Nullable HandshakeSocket tryConnect(
            UnixDomainSocketAddress address,
            Path path,
            NanoClock clock,
            long deadlineNs,
            BooleanSupplier isOver) {
        SocketChannel channel = null;
        boolean connected = false;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            HandshakeSocket made = new HandshakeSocket(channel, clock, deadlineNs, isOver);
            channel.configureBlocking(false);
            connected = UnixQueue.connect(channel, address);
            return connected ? made : null;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.ENETDOWN,
                    "Neither a daemon nor a server listens on "
                            + path
                            + " ("
                            + e.getMessage()
                            + ").",
                    e);
        } finally {
            if (!connected && channel != null) {
                Sockets.closeQuietly(channel);
            }
        }
    }

    /** Sets until when it waits from now on. */
    void waitUntil(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
    }

    /** Sends a frame. If the host has closed its end, {@link #receive} finds out why. */
    void send(HandshakeFrame frame) throws IOException {
        ByteBuffer bytes = HandshakeCodec.encode(frame);
        while (bytes.hasRemaining()) {
            if (write(bytes) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
        isGoodbyeOwed |= frame instanceof Hello;
    }

    // A host may refuse a peer and close before the peer has sent anything.
    private int write(ByteBuffer bytes) {
        try {
            return channel.write(bytes);
        } catch (IOException e) {
            int left = bytes.remaining();
            bytes.position(bytes.limit());
            return left;
        }
    }

    private static BmiException gone(IOException cause) {
        return new BmiException(
                ErrorCode.ENETDOWN,
                "The daemon or server that hosts the engine has ended before it answered.",
                cause);
    }

    /**
     * Receives a frame. Reads no byte beyond it: the next ones are wake-ups for another reader.
     *
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if the host ends before it sends one
     */
    HandshakeFrame receive() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
        bytes.limit(Integer.BYTES);
        fill(bytes);
        bytes.limit(HandshakeCodec.frameLength(bytes.duplicate().flip()));
        fill(bytes);
        return HandshakeCodec.decode(bytes.flip());
    }

    private void fill(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int count = read(bytes);
            if (count < 0 && bytes.position() == 0) {
                throw gone(new EOFException("the socket was closed"));
            }
            if (count < 0) {
                throw new HandshakeException("the socket was closed in the middle");
            }
            if (count == 0) {
                await(SelectionKey.OP_READ);
            }
        }
    }

    private int read(ByteBuffer bytes) throws IOException {
        try {
            return channel.read(bytes);
        } catch (IOException e) {
            if (bytes.position() == 0) {
                throw gone(e);
            }
            throw e;
        }
    }

    private void await(int operation) throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nanoTime());
        if (leftMs <= 0) {
            throw timeout();
        }
        Interrupts.endWaitFor(HOST);
        try (Selector selector = Selector.open()) {
            AttachRequest.await(selector, channel, operation, leftMs, isOver);
        }
    }

    private static BmiException timeout() {
        return new BmiException(
                ErrorCode.ETIMEDOUT, "The daemon or server that hosts the engine does not answer.");
    }

    /** The socket; it is closed with this unless it is {@link #release released}. */
    SocketChannel channel() {
        return channel;
    }

    /** It has another owner from now on. */
    void release() {
        released = true;
    }

    /**
     * Closes the socket unless it has another owner. After a hello it says goodbye first: the host
     * may have given this process a session, or may yet do so.
     */
    void closeUnlessReleased() {
        if (released) {
            return;
        }
        try {
            if (isGoodbyeOwed) {
                write(goodbye);
            }
        } finally {
            Sockets.closeQuietly(channel);
        }
    }
}
