package org.jbmi.zbmi.attach;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * The peer's side of a handshake with a daemon or server of this machine, with the deadline and the
 * errors of a {@link HostDialer}. Not thread-safe.
 */
final class HandshakeSocket {
    private final HostDialer dialer;
    private final ByteBuffer goodbye = PeerSocket.frame(new Goodbye(false));
    private final SocketChannel channel;
    private boolean released;
    private boolean isGoodbyeOwed;

    // Connects last: whatever fails leaves no socket.
    private HandshakeSocket(HostDialer dialer, Path path) {
        this.dialer = dialer;
        this.channel = dialer.connect(UnixDomainSocketAddress.of(path));
    }

    static HandshakeSocket connect(Path path, NanoClock clock, long deadlineNs) {
        return connect(path, clock, deadlineNs, AttachRequest.NEVER);
    }

    /** Connects, see {@link HostDialer#connect}. */
    static HandshakeSocket connect(
            Path path, NanoClock clock, long deadlineNs, BooleanSupplier isOver) {
        HostDialer dialer =
                new HostDialer(
                        "daemon or server at " + path,
                        SelectorProvider.provider(),
                        ThreadParking.INSTANCE,
                        clock,
                        deadlineNs,
                        isOver);
        return new HandshakeSocket(dialer, path);
    }

    /** Sets until when it waits from now on. */
    void waitUntil(long newDeadlineNs) {
        dialer.waitUntil(newDeadlineNs);
    }

    /** Sends a frame. If the host has closed its end, {@link #receive} finds out why. */
    void send(HandshakeFrame frame) throws IOException {
        dialer.send(channel, HandshakeCodec.encode(frame));
        isGoodbyeOwed |= frame instanceof Hello;
    }

    /**
     * Receives a frame. Reads no byte beyond it: the next ones are wake-ups for another reader.
     *
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if the host ends before it sends one
     */
    HandshakeFrame receive() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
        bytes.limit(Integer.BYTES);
        dialer.receive(channel, bytes);
        bytes.limit(HandshakeCodec.frameLength(bytes.duplicate().flip()));
        dialer.receive(channel, bytes);
        return HandshakeCodec.decode(bytes.flip());
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
                HostDialer.write(channel, goodbye);
            }
        } finally {
            Sockets.closeQuietly(channel);
        }
    }
}
