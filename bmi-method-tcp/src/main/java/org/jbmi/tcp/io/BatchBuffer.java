package org.jbmi.tcp.io;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where headers and small messages are gathered for one write. A connection has one only while
 * something of it waits to be written.
 */
public final class BatchBuffer {
    /** Filled from its position on; what is between {@link #flushed} and that waits. */
    public final ByteBuffer bytes;

    public final MemorySegment memory;

    /** The same bytes, for the channel: position and limit frame what waits. */
    public final ByteBuffer flushed;

    public @Nullable BatchBuffer nextFree;

    public BatchBuffer(int capacityBytes) {
        bytes = ByteBuffer.allocateDirect(capacityBytes).order(ByteOrder.LITTLE_ENDIAN);
        memory = MemorySegment.ofBuffer(bytes);
        flushed = bytes.duplicate();
        clear();
    }

    /** Forgets everything. */
    public void clear() {
        bytes.clear();
        flushed.position(0).limit(0);
    }

    /** What waits to be written. */
    public ByteBuffer waiting() {
        flushed.limit(bytes.position());
        return flushed;
    }

    public boolean isEmpty() {
        return flushed.position() == bytes.position();
    }
}
