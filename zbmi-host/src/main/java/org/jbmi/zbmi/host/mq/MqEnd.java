package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.QueueBuffer;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;

/**
 * One end of a message queue: a message is its header and its words. One thread at a time may send
 * or receive; any may read how much is in it.
 */
final class MqEnd implements MessageSink, AutoCloseable {
    private final MqSystem system;
    private final int descriptor;
    private final long depth;
    private final QueueBuffer buffer = new QueueBuffer(QUEUE_BUFFER_BYTES);
    private final QueueBuffer looking = new QueueBuffer(QUEUE_BUFFER_BYTES);
    private boolean isClosed;

    /** Room for a message, and for the attributes of a queue. */
    private static final int QUEUE_BUFFER_BYTES = 128;

    MqEnd(MqSystem system, int descriptor) {
        this.system = system;
        this.descriptor = descriptor;
        this.depth = system.depth(descriptor, looking);
    }

    /** Makes one; if there is no memory for it, the descriptor is closed. */
    static MqEnd of(MqSystem system, int descriptor) {
        MqEnd made = null;
        try {
            made = new MqEnd(system, descriptor);
            return made;
        } finally {
            if (made == null) {
                system.close(descriptor);
            }
        }
    }

    @Override
    public int offer(Message message) {
        int words = message.wordCount();
        buffer.setWord(0, message.header());
        for (int i = 0; i < words; i++) {
            buffer.setWord(1 + i, message.word(i));
        }
        int result = system.send(descriptor, buffer, 1 + words);
        if (result == 0) {
            return SENT;
        }
        return isTransient(-result) ? FULL : BROKEN;
    }

    /** Receives; returns a result of {@link MessageSource}. A wait may end early for no reason. */
    int receive(Message into, long timeoutNs) {
        int bytes = system.receive(descriptor, buffer, timeoutNs);
        if (bytes < 0) {
            return isTransient(-bytes) ? MessageSource.EMPTY : MessageSource.BROKEN;
        }
        int words = bytes < Long.BYTES ? -1 : into.load(buffer.word(0));
        if (words < 0 || bytes != (1 + words) * Long.BYTES) {
            return MessageSource.BROKEN;
        }
        for (int i = 0; i < words; i++) {
            into.setWord(i, buffer.word(1 + i));
        }
        return MessageSource.RECEIVED;
    }

    private static boolean isTransient(int errno) {
        return errno == Errno.EAGAIN || errno == Errno.ETIMEDOUT || errno == Errno.EINTR;
    }

    /** How many messages are in the queue; below 0 if it is not whole. */
    long queued() {
        synchronized (looking) {
            return system.queued(descriptor, looking);
        }
    }

    @Override
    public int room() {
        long queued = queued();
        if (queued < 0) {
            return BROKEN;
        }
        return queued < depth ? SENT : FULL;
    }

    /** How many it can hold; below 0 if it is not whole. */
    long depth() {
        return depth;
    }

    /** No thread may be inside any more. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            system.close(descriptor);
        }
    }
}
