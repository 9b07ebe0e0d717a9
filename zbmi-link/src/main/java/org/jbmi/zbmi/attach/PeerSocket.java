package org.jbmi.zbmi.attach;

import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The peer's socket after the handshake. The peer reads wake-up bytes and sends rings. The end of
 * the socket is the end of the session; before it, the host may say that the server has closed. One
 * for each session. One thread at a time rings, and one reads.
 */
public final class PeerSocket {
    /** What {@link #drain} answers at the end of the session. */
    public static final int ENDED = -1;

    /** What {@link #drain} answers while another thread reads: the caller knows nothing new. */
    public static final int BUSY = -2;

    private final SocketChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBuffer ring = frame(new Ring());
    private volatile boolean isServerClosed;

    PeerSocket(SocketChannel channel) {
        this.channel = channel;
    }

    /** A frame that is written later, when there may be no memory for it. */
    static ByteBuffer frame(HandshakeFrame content) {
        ByteBuffer frame = HandshakeCodec.encode(content);
        return ByteBuffer.allocateDirect(frame.remaining()).put(frame).flip();
    }

    /**
     * Wakes a host that sleeps in a selector. A full socket has enough bytes to wake by, and a
     * closed one ends the sleep as well.
     */
    public void ring() {
        synchronized (ring) {
            try {
                channel.write(ring.rewind());
            } catch (IOException e) {
                System.getLogger(PeerSocket.class.getName())
                        .log(System.Logger.Level.DEBUG, "a ring was not heard", e);
            }
        }
    }

    /**
     * Reads what is there, without waiting.
     *
     * @return how many bytes were there; {@link #ENDED} if the session has ended; {@link #BUSY}
     */
    public int drain() {
        if (!lock.tryLock()) {
            return BUSY;
        }
        try {
            int total = 0;
            int count = bytes.capacity();
            while (count == bytes.capacity()) {
                count = channel.read(bytes.clear());
                look(count);
                total += count;
            }
            return count < 0 ? ENDED : total;
        } catch (IOException e) {
            return ENDED;
        } finally {
            lock.unlock();
        }
    }

    private void look(int count) {
        for (int i = 0; i < count; i++) {
            isServerClosed |= bytes.get(i) == HandshakeCodec.CLOSED;
        }
    }

    /** Whether the host has said that the server closed normally. */
    public boolean isServerClosed() {
        return isServerClosed;
    }
}
