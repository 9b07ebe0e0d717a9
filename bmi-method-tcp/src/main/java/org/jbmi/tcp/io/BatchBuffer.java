package org.jbmi.tcp.io;

import org.jbmi.spi.LinkedNode;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A buffer that gathers headers and small messages for one write. A connection holds one only while
 * it has something to write.
 */
public final class BatchBuffer extends LinkedNode {
    /**
     * Filled at its position. The bytes from the position of {@link #flushed} to that position are
     * to be written.
     */
    public final ByteBuffer bytes;

    public final MemorySegment memory;

    /** The same bytes, for the channel: position and limit enclose those to be written. */
    public final ByteBuffer flushed;

    /** Whether it is a copy of what was left in another one; nothing is added to it. */
    public final boolean isCopy;

    public BatchBuffer(int capacityBytes) {
        this(ByteBuffer.allocateDirect(capacityBytes), false);
    }

    private BatchBuffer(ByteBuffer bytes, boolean isCopy) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.isCopy = isCopy;
        memory = MemorySegment.ofBuffer(bytes);
        flushed = bytes.duplicate();
        clear();
    }

    /** A buffer of their size with the bytes that are to be written. */
    public BatchBuffer copyOfWaiting() {
        ByteBuffer left = waiting().duplicate();
        BatchBuffer copy = new BatchBuffer(ByteBuffer.allocate(left.remaining()), true);
        copy.bytes.put(left);
        return copy;
    }

    /** Empties it. */
    public void clear() {
        bytes.clear();
        flushed.position(0).limit(0);
    }

    /** The bytes to be written. */
    public ByteBuffer waiting() {
        flushed.limit(bytes.position());
        return flushed;
    }

    public boolean isEmpty() {
        return flushed.position() == bytes.position();
    }
}
