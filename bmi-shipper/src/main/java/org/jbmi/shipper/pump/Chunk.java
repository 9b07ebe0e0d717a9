package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * One message of a transfer, out of the memory of a program or into it. The program may free the
 * memory at any time: then {@link #parts} throws and {@link #arrived} says so.
 */
public abstract class Chunk extends Posted {
    /** A chunk of more segments than this is gathered into one buffer. */
    private static final int MAX_SEGMENTS = 256;

    private final SegmentList memory;
    private final long from;
    private final int lengthBytes;
    private final boolean isSent;
    private byte @Nullable [] gathered;

    /**
     * A part of a memory.
     *
     * @param isSent whether it is sent, or else received
     */
    protected Chunk(SegmentList memory, long from, int lengthBytes, boolean isSent) {
        this.memory = memory;
        this.from = from;
        this.lengthBytes = lengthBytes;
        this.isSent = isSent;
    }

    /** How long it is. */
    public final int lengthBytes() {
        return lengthBytes;
    }

    /**
     * The buffers to post, at least one. What is to be sent of a memory in too many pieces is
     * copied here.
     */
    public final MemorySegment[] parts() {
        MemorySegment[] parts = memory.slices(from, lengthBytes);
        if (parts.length <= MAX_SEGMENTS) {
            return parts;
        }
        byte[] buffer = new byte[lengthBytes];
        gathered = buffer;
        MemorySegment whole = MemorySegment.ofArray(buffer);
        if (isSent) {
            memory.copyTo(from, whole, lengthBytes);
        }
        return new MemorySegment[] {whole};
    }

    /**
     * Puts what was received where it belongs, if it is not there yet. False if the program has
     * freed the memory meanwhile.
     */
    public final boolean arrived() {
        byte[] buffer = gathered;
        if (buffer == null || isSent) {
            return true;
        }
        try {
            memory.copyFrom(from, buffer, 0, lengthBytes);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
