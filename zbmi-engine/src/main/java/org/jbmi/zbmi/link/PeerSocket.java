package org.jbmi.zbmi.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/** The peer's socket after the handshake: wake-up bytes come, and its end is the session's end. */
final class PeerSocket {
    private final SocketChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
    private final ReentrantLock lock = new ReentrantLock();

    PeerSocket(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Reads what is there, without waiting. What the bytes are does not matter.
     *
     * @return false if the session has ended
     */
    boolean drain() {
        if (!lock.tryLock()) {
            return true;
        }
        try {
            int count = bytes.capacity();
            while (count == bytes.capacity()) {
                count = channel.read(bytes.clear());
            }
            return count >= 0;
        } catch (IOException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }
}
