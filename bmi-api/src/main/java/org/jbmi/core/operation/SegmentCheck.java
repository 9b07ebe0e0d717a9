package org.jbmi.core.operation;

import org.jbmi.core.waiting.Arguments;

import java.lang.foreign.MemorySegment;

/** Checks that every thread that makes progress may access a buffer. */
final class SegmentCheck {
    /**
     * Stands for "another thread": a confined segment is accessible to its owner only. Never
     * started; keeps no reference to the thread that made it.
     */
    private static final Thread ANY_OTHER =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private SegmentCheck() {}

    static void check(MemorySegment segment, boolean written) {
        if (!segment.isAccessibleBy(ANY_OTHER)) {
            throw Arguments.invalid(
                    "The buffer belongs to a confined arena of one thread; allocate it from a"
                            + " shared or automatic arena.");
        }
        if (!segment.scope().isAlive()) {
            throw Arguments.invalid(
                    "The buffer's arena is closed; keep it open until the operation is reported.");
        }
        if (written && segment.isReadOnly()) {
            throw Arguments.invalid(
                    "The buffer of a receive is read-only; give one that can be written.");
        }
        if (!segment.isNative() && !isBytes(segment)) {
            throw Arguments.invalid(
                    "The buffer lies over an array that is no byte[]; use a byte[].");
        }
    }

    /** Checks the buffers of a list and their declared total. */
    static void checkList(CoreOperation operation, boolean written) {
        long sum = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment segment = operation.listEntry(i);
            if (segment == null) {
                throw Arguments.invalid("A list has an entry that is null.");
            }
            check(segment, written);
            sum += segment.byteSize();
            if (sum < 0) {
                throw Arguments.invalid("A list has more bytes than a number can hold.");
            }
        }
        if (sum != operation.sizeBytes()) {
            throw Arguments.invalid(
                    "The list has "
                            + sum
                            + " bytes, but a total of "
                            + operation.sizeBytes()
                            + " bytes was given.");
        }
    }

    /**
     * Whether a segment is a view of a byte[]. Such a view has an alignment of 1; a view of any
     * other array that begins at an even byte has more. A view of alignment 1 that begins at an odd
     * byte may be of either kind. Only for it this asks for the array. A read-only view does not
     * give its array, so this then asks for a buffer. Both allocate.
     */
    private static boolean isBytes(MemorySegment segment) {
        if (segment.maxByteAlignment() > 1) {
            return false;
        }
        if ((segment.address() & 1) == 0) {
            return true;
        }
        return segment.isReadOnly()
                ? hasByteBuffer(segment)
                : segment.heapBase().map(base -> base instanceof byte[]).orElse(true);
    }

    private static boolean hasByteBuffer(MemorySegment segment) {
        try {
            segment.asSlice(0, 0).asByteBuffer(); // a longer one may be too long for a buffer
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }
}
