package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.tcp.io.BatchBuffer;
import org.jbmi.tcp.io.BufferWindow;
import org.jbmi.tcp.io.Rest;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The bytes that are being written to a connection: first the batch of headers and small messages,
 * then one large payload. The payload is the program's memory or the rest of a cancelled send.
 * Owned by the thread that has set {@link Connection#writing} under the method's lock.
 */
final class Outgoing {
    /**
     * From this size on a payload is written apart from its header. Several buffers in one call
     * make garbage in the JDK, and one more call costs little beside so many bytes. With smaller
     * payloads the header alone would wake a sleeping peer.
     */
    private static final int APART_BYTES = 512 << 10;

    private final SocketChannel channel;

    /** Headers and small messages; null while the connection has none. */
    @Nullable BatchBuffer batch;

    /** The send whose payload is written from its own buffers; it is the last started one. */
    @Nullable Operation large;

    /** Where in that send the writing is. */
    final BufferWindow window = new BufferWindow();

    /** The rest of a send that was cancelled after its first byte was written. */
    @Nullable Rest rest;

    /** Whether the socket's buffer is for small messages, and grows with the first large one. */
    boolean hasSmallBuffer;

    /** The position in the stream behind everything started. */
    long committedBytes;

    /** The position in the stream behind everything written. */
    long writtenBytes;

    /**
     * The time of the last write, or since when a write waits if that is later, for the stall
     * check; other threads read it.
     */
    volatile long lastWriteNs;

    Outgoing(SocketChannel channel, long openedNs) {
        this.channel = channel;
        this.lastWriteNs = openedNs;
    }

    /** Whether everything that was started is written. */
    boolean isEmpty() {
        return writtenBytes == committedBytes;
    }

    /** How many bytes of the large payload are not written; the batch comes before it. */
    long leftOfLarge() {
        BatchBuffer head = batch;
        long waiting = head == null ? 0 : head.waiting().remaining();
        return committedBytes - writtenBytes - waiting;
    }

    /**
     * Writes once.
     *
     * @return whether the socket took all bytes
     * @throws IllegalStateException if the program closed the arena of its buffer
     */
    boolean writeOnce() throws IOException {
        Operation payload = large;
        return payload == null ? write(nextOfWaiting()) : writeLarge(payload);
    }

    private boolean write(ByteBuffer bytes) throws IOException {
        took(channel.write(bytes));
        return !bytes.hasRemaining();
    }

    private boolean writeLarge(Operation payload) throws IOException {
        int count = window.prepare(payload);
        ByteBuffer head = batch == null ? null : batch.waiting();
        ByteBuffer single = window.single();
        if (head == null || !head.hasRemaining()) {
            return single == null ? writeList(null, count) : write(single);
        }
        boolean isApart = single != null && single.remaining() >= APART_BYTES;
        return isApart ? write(head) : writeList(head, count);
    }

    private boolean writeList(@Nullable ByteBuffer head, int count) throws IOException {
        long offered = window.offeredBytes() + (head == null ? 0 : head.remaining());
        int from = head == null ? BufferWindow.FIRST : 0;
        window.buffers[0] = head;
        long written = channel.write(window.buffers, from, BufferWindow.FIRST + count - from);
        window.buffers[0] = null;
        took(written);
        return written == offered;
    }

    private ByteBuffer nextOfWaiting() {
        BatchBuffer head = batch;
        Rest left = rest;
        if (head != null && (left == null || head.waiting().hasRemaining())) {
            return head.waiting();
        }
        if (left == null) {
            throw new IllegalStateException("There is nothing to write.");
        }
        return left.bytes;
    }

    private void took(long bytes) {
        if (bytes <= 0) {
            return;
        }
        writtenBytes += bytes;
        long nowNs = System.nanoTime();
        lastWriteNs = nowNs;
        Operation payload = large;
        if (payload != null
                && payload.hasDeadline()
                && committedBytes - payload.sizeBytes() < writtenBytes) {
            payload.progressed(nowNs);
        }
    }

    /** Forgets what is written; the caller closes the rest of a cancelled send. */
    void clear() {
        large = null;
        window.end();
        BatchBuffer head = batch;
        if (head != null) {
            head.clear();
        }
    }
}
