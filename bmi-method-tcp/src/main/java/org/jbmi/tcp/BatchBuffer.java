package org.jbmi.tcp;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where headers and small messages are gathered for one write. A connection has one only while
 * something of it waits to be written.
 */
final class BatchBuffer {
    /** Filled from its position on; what is between {@link #flushed} and that waits. */
    final ByteBuffer bytes;

    final MemorySegment memory;

    /** The same bytes, for the channel: position and limit frame what waits. */
    final ByteBuffer flushed;

    @Nullable BatchBuffer nextFree;

    BatchBuffer(int capacityBytes) {
        bytes = ByteBuffer.allocateDirect(capacityBytes).order(ByteOrder.LITTLE_ENDIAN);
        memory = MemorySegment.ofBuffer(bytes);
        flushed = bytes.duplicate();
        clear();
    }

    /** Forgets everything. */
    void clear() {
        bytes.clear();
        flushed.position(0).limit(0);
    }

    /** What waits to be written. */
    ByteBuffer waiting() {
        flushed.limit(bytes.position());
        return flushed;
    }

    boolean isEmpty() {
        return flushed.position() == bytes.position();
    }
}
