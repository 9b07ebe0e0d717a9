package org.jbmi.shipper.pump;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.lang.foreign.MemorySegment;

/**
 * Refuses memory of the program that a message cannot use, before a transfer begins: the transfer
 * would fail in the middle.
 */
public final class MemoryCheck {
    /**
     * A confined segment is accessible to its owner only, and to no other thread. Never started.
     */
    private final Thread anyOther =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    /** Makes a check. */
    public MemoryCheck() {}

    /**
     * Checks memory.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} if a message cannot use it
     */
    public void check(SegmentList memory, boolean written) {
        memory.forEach(segment -> check(segment, written));
    }

    private void check(MemorySegment segment, boolean written) {
        if (!segment.isAccessibleBy(anyOther)) {
            throw refuse("belongs to a confined arena of one thread: use a shared arena");
        }
        if (!segment.scope().isAlive()) {
            throw refuse("belongs to an arena that is closed");
        }
        if (written && segment.isReadOnly()) {
            throw refuse("is read-only, and is to be written");
        }
        if (!segment.isNative() && !isBytes(segment)) {
            throw refuse("lies over an array that is no byte[]: use a byte[]");
        }
    }

    /**
     * Whether a segment is a view of a byte[], which has an alignment of 1. A read-only view does
     * not give its array: such a view of another kind of array passes if it begins at an odd byte.
     */
    private static boolean isBytes(MemorySegment segment) {
        return segment.maxByteAlignment() == 1
                && segment.heapBase().map(base -> base instanceof byte[]).orElse(true);
    }

    private static BmiException refuse(String why) {
        return new BmiException(ErrorCode.EINVAL, "The memory " + why + ".");
    }
}
