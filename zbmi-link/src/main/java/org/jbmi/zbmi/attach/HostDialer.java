package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Connects to a host and exchanges the bytes of a handshake, with one deadline over all of it. An
 * interrupted thread does not wait: where it would have to, the attempt ends with {@link
 * ErrorCode#EINTR}, and the thread stays interrupted. A session that is not wanted any more ends
 * with {@link ErrorCode#ECANCEL}, see {@link AttachRequest#isOver}. Not thread-safe.
 */
public final class HostDialer {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String host;
    private final SelectorProvider sockets;
    private final Parking parking;
    private final NanoClock clock;
    private final BooleanSupplier isOver;
    private long deadlineNs;

    /**
     * Makes one for one host.
     *
     * @param host how its errors name the host, as {@code gateway at 127.0.0.1:4711}
     * @param sockets where the socket and its selectors come from
     * @param parking how it waits before it tries again
     * @param deadlineNs until when it waits, of the clock
     */
    public HostDialer(
            String host,
            SelectorProvider sockets,
            Parking parking,
            NanoClock clock,
            long deadlineNs,
            BooleanSupplier isOver) {
        this.host = host;
        this.sockets = sockets;
        this.parking = parking;
        this.clock = clock;
        this.deadlineNs = deadlineNs;
        this.isOver = isOver;
    }

    /** Sets until when it waits from now on. */
    void waitUntil(long newDeadlineNs) {
        deadlineNs = newDeadlineNs;
    }

    /**
     * Connects, and waits for room in a full queue of connections.
     *
     * @return the socket, non-blocking; the caller closes it
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no process listens there; with {@link
     *     ErrorCode#ETIMEDOUT} if the time is over
     */
    public SocketChannel connect(SocketAddress address) {
        while (true) {
            try {
                SocketChannel channel = tryConnect(address);
                if (channel != null) {
                    return channel;
                }
            } catch (IOException e) {
                throw noAnswer(e);
            }
            if (deadlineNs - clock.nanoTime() <= 0) {
                throw timeout();
            }
            Interrupts.endWaitFor("the " + host);
            AttachRequest.endIf(isOver);
            parking.park(this, RETRY_NS);
        }
    }

    // Null if the queue of a Unix-domain socket is full: one cannot wait for room in it.
    private @Nullable SocketChannel tryConnect(SocketAddress address) throws IOException {
        SocketChannel channel = null;
        boolean isConnected = false;
        try {
            boolean isUnix = address instanceof UnixDomainSocketAddress;
            channel =
                    isUnix
                            ? sockets.openSocketChannel(StandardProtocolFamily.UNIX)
                            : sockets.openSocketChannel();
            channel.configureBlocking(false);
            isConnected = channel.connect(address);
            if (!isConnected && !isUnix) {
                await(channel, SelectionKey.OP_CONNECT);
                isConnected = channel.finishConnect();
            }
        } catch (SocketException e) {
            if (channel == null || !mayBeFull(e, address)) { // null: it could not be opened
                throw e;
            }
        } finally {
            if (!isConnected && channel != null) {
                Sockets.closeQuietly(channel);
            }
        }
        return isConnected ? channel : null;
    }

    // Without room it fails with EAGAIN and does not wait. In Java only the text shows it, which is
    // not for parsing. But a socket without listener and one without permission have exceptions of
    // their own.
    private static boolean mayBeFull(SocketException failure, SocketAddress address) {
        return failure.getClass() == SocketException.class
                && address instanceof UnixDomainSocketAddress unix
                && Files.exists(unix.getPath());
    }

    /**
     * Sends bytes. A host may refuse a peer and close before the peer has sent anything: then
     * {@link #receive} finds out why.
     */
    public void send(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (write(channel, bytes) == 0) {
                await(channel, SelectionKey.OP_WRITE);
            }
        }
    }

    /** Writes what there is room for; all of it is gone if the host has closed its end. */
    static int write(SocketChannel channel, ByteBuffer bytes) {
        try {
            return channel.write(bytes);
        } catch (IOException e) {
            int left = bytes.remaining();
            bytes.position(bytes.limit());
            return left;
        }
    }

    /**
     * Receives until the buffer is full, and no byte more.
     *
     * @param bytes empty, or with the beginning of the frame
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if the host ends before the frame begins
     * @throws IOException if it ends within the frame
     */
    public void receive(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int count = read(channel, bytes);
            if (count == 0) {
                await(channel, SelectionKey.OP_READ);
            }
        }
    }

    private int read(SocketChannel channel, ByteBuffer bytes) throws IOException {
        try {
            int count = channel.read(bytes);
            if (count < 0) {
                throw new EOFException("the socket was closed");
            }
            return count;
        } catch (IOException e) {
            if (bytes.position() == 0) {
                throw noAnswer(e);
            }
            throw e;
        }
    }

    // Each wait has a selector of its own.
    private void await(SocketChannel channel, int operation) throws IOException {
        try (Selector selector = sockets.openSelector()) {
            channel.register(selector, operation);
            int ready = 0;
            while (ready == 0) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nanoTime());
                if (leftMs <= 0) {
                    throw timeout();
                }
                Interrupts.endWaitFor("the " + host);
                AttachRequest.endIf(isOver);
                ready = selector.select(Math.min(leftMs, AttachRequest.SLICE_MS));
            }
        }
    }

    /** The error of a host that is not there, or has gone: {@link ErrorCode#ENETDOWN}. */
    public BmiException noAnswer(IOException cause) {
        return new BmiException(
                ErrorCode.ENETDOWN,
                "No %s answers (%s).".formatted(host, cause.getMessage()),
                cause);
    }

    private BmiException timeout() {
        return new BmiException(ErrorCode.ETIMEDOUT, "The " + host + " does not answer.");
    }
}
