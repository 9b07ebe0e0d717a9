package org.jbmi.zbmi.socket;

import static java.net.StandardProtocolFamily.UNIX;

import jdk.net.ExtendedSocketOptions;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.attach.Sockets;
import org.jbmi.zbmi.attach.UnixQueue;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The client's side of connecting and of the handshake, with one deadline over all of it. An
 * interrupted thread does not wait: where it would have to, the attempt ends with {@link
 * ErrorCode#EINTR}, and the thread stays interrupted.
 */
public final class LinkDialer {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int KEEP_IDLE_S = 10;
    private static final int KEEP_INTERVAL_S = 5;
    private static final int KEEP_COUNT = 4;

    private final SocketAddress address;
    private final LinkSettings settings;
    private final NanoClock clock;
    private final long deadlineNs;
    private final BooleanSupplier isOver;

    /** Stops as soon as the session is not wanted any more, see {@link AttachRequest#isOver}. */
    LinkDialer(
            SocketAddress address,
            LinkSettings settings,
            NanoClock clock,
            long timeoutNs,
            BooleanSupplier isOver) {
        this.isOver = isOver;
        this.address = address;
        this.settings = settings;
        this.clock = clock;
        this.deadlineNs = clock.nanoTime() + timeoutNs;
    }

    /** A connected socket, non-blocking. */
    SocketChannel connect() {
        while (true) {
            try {
                SocketChannel channel = tryConnect();
                if (channel != null) {
                    return channel;
                }
            } catch (IOException e) {
                throw noAnswer(e);
            }
            if (deadlineNs - clock.nanoTime() <= 0) {
                throw timeout();
            }
            endIfInterrupted();
            AttachRequest.endIf(isOver);
            settings.parking().park(this, RETRY_NS);
        }
    }

    private BmiException noAnswer(IOException e) {
        return new BmiException(
                ErrorCode.ENETDOWN,
                "No gateway answers at %s (%s)."
                        .formatted(LinkAddress.text(address), e.getMessage()),
                e);
    }

    // Null if the queue of a Unix-domain socket is full: one cannot wait for room in it.
    private @Nullable SocketChannel tryConnect() throws IOException {
        SocketChannel channel = null;
        boolean isReady = false;
        try {
            boolean isUnix = address instanceof UnixDomainSocketAddress;
            channel =
                    isUnix
                            ? settings.sockets().openSocketChannel(UNIX)
                            : settings.sockets().openSocketChannel();
            channel.configureBlocking(false);
            boolean isConnected = UnixQueue.connect(channel, address);
            if (!isConnected && !isUnix) {
                await(channel, SelectionKey.OP_CONNECT);
                isConnected = channel.finishConnect();
            }
            if (!isConnected) {
                return null;
            }
            tune(channel);
            isReady = true;
            return channel;
        } finally {
            if (!isReady && channel != null) {
                Sockets.closeQuietly(channel);
            }
        }
    }

    /**
     * Sets what a link's socket must have: no delay, and keep-alive probes, to notice a host that
     * has vanished.
     */
    public static void tune(SocketChannel channel) throws IOException {
        if (channel.getLocalAddress() instanceof UnixDomainSocketAddress) {
            return;
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_S);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_S);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
        }
    }

    /**
     * Sends the hello and reads the answer, and no byte more.
     *
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if the gateway hangs up before it
     *     answers
     */
    LinkWelcome shakeHands(SocketChannel channel) throws IOException {
        ByteBuffer hello = LinkHandshake.hello(ProcessHandle.current().pid());
        while (hello.hasRemaining()) {
            if (write(channel, hello) == 0) {
                await(channel, SelectionKey.OP_WRITE);
            }
        }
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
        fill(channel, answer.limit(Integer.BYTES));
        fill(channel, answer.limit(LinkHandshake.length(answer)));
        return LinkHandshake.readAnswer(answer.flip());
    }

    // A gateway may refuse a client and close before the client has sent anything: its answer is
    // read even so.
    private static int write(SocketChannel channel, ByteBuffer bytes) {
        try {
            return channel.write(bytes);
        } catch (IOException e) {
            int left = bytes.remaining();
            bytes.position(bytes.limit());
            return left;
        }
    }

    private int read(SocketChannel channel, ByteBuffer bytes) throws IOException {
        try {
            return channel.read(bytes);
        } catch (IOException e) {
            if (bytes.position() == 0) {
                throw noAnswer(e);
            }
            throw e;
        }
    }

    private void fill(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int count = read(channel, bytes);
            if (count < 0 && bytes.position() == 0) {
                throw noAnswer(new EOFException("it hung up"));
            }
            if (count < 0) {
                throw new IOException("it hung up in the middle of the handshake");
            }
            if (count == 0) {
                await(channel, SelectionKey.OP_READ);
            }
        }
    }

    private void await(SocketChannel channel, int operation) throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nanoTime());
        if (leftMs <= 0) {
            throw timeout();
        }
        endIfInterrupted();
        try (Selector selector = settings.sockets().openSelector()) {
            AttachRequest.await(selector, channel, operation, leftMs, isOver);
        }
    }

    private void endIfInterrupted() {
        Interrupts.endWaitFor("the gateway at " + LinkAddress.text(address));
    }

    private BmiException timeout() {
        return new BmiException(
                ErrorCode.ETIMEDOUT,
                "The gateway at " + LinkAddress.text(address) + " does not answer.");
    }
}
