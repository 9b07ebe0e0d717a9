package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.lang.foreign.MemorySegment;

/** Which memory may be handed to an operation: what every thread that makes progress may use. */
final class SegmentCheck {
    /**
     * Stands for "some other thread": a confined segment is accessible to its owner only. Never
     * started, and keeps nothing of the thread that made it.
     */
    private static final Thread ANY_OTHER =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private SegmentCheck() {}

    static void check(MemorySegment segment, boolean written) {
        if (!segment.isAccessibleBy(ANY_OTHER)) {
            throw refuse(
                    "The buffer belongs to a confined arena of one thread; allocate it from a"
                            + " shared or automatic arena.");
        }
        if (!segment.scope().isAlive()) {
            throw refuse("The buffer's arena is closed.");
        }
        if (written && segment.isReadOnly()) {
            throw refuse("The buffer of a receive is read-only.");
        }
        if (!segment.isNative() && !isBytes(segment)) {
            throw refuse("The buffer lies over an array that is no byte[]; use a byte[].");
        }
    }

    /** Checks the buffers of a list and their declared total. */
    static void checkList(CoreOperation operation, boolean written) {
        long sum = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment segment = operation.listEntry(i);
            if (segment == null) {
                throw refuse("A list has an entry that is null.");
            }
            check(segment, written);
            sum += segment.byteSize();
            if (sum < 0) {
                throw refuse("A list has more bytes than a number can hold.");
            }
        }
        if (sum != operation.sizeBytes()) {
            throw refuse(
                    "The list has "
                            + sum
                            + " bytes, but a total of "
                            + operation.sizeBytes()
                            + " bytes was given.");
        }
    }

    private static boolean isBytes(MemorySegment segment) {
        // A read-only view hides its array; its alignment tells a byte[] from the others.
        return segment.heapBase()
                .map(base -> base instanceof byte[])
                .orElse(isByteAligned(segment));
    }

    private static boolean isByteAligned(MemorySegment segment) {
        return segment.maxByteAlignment() == 1;
    }

    private static BmiException refuse(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }
}
