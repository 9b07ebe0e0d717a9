package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.lang.foreign.MemorySegment;

/** Which memory may be handed to an operation: what every thread that makes progress may use. */
final class SegmentCheck {
    /**
     * Stands for "some other thread": a confined segment is accessible to its owner only. Never
     * started.
     */
    private static final Thread ANY_OTHER = Thread.ofPlatform().unstarted(() -> {});

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

    /**
     * Checks a list and its declared total.
     *
     * @return the sum of its sizes
     */
    static long checkList(MemorySegment[] segments, long totalBytes, boolean written) {
        long sum = 0;
        for (MemorySegment segment : segments) {
            if (segment == null) {
                throw refuse("A list has an entry that is null.");
            }
            check(segment, written);
            sum += segment.byteSize();
        }
        if (sum != totalBytes) {
            throw refuse(
                    "The list has "
                            + sum
                            + " bytes, but a total of "
                            + totalBytes
                            + " bytes was given.");
        }
        return sum;
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
