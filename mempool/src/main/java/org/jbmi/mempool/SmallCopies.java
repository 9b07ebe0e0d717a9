package org.jbmi.mempool;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies of a few dozen bytes by words. A bulk copy of 64 bytes costs about as much as a round trip
 * through shared memory; these loops do not.
 *
 * <p>The two directions are two methods, so that each has one kind of segment on the side of the
 * shared memory and its own type profile on the other.
 */
final class SmallCopies {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private SmallCopies() {}

    static void in(MemorySegment user, long userOffset, MemorySegment shared, long offset, int n) {
        checkLength(n);
        int i = 0;
        for (; i <= n - Long.BYTES; i += Long.BYTES) {
            shared.set(LONG, offset + i, user.get(LONG, userOffset + i));
        }
        for (; i < n; i++) {
            shared.set(BYTE, offset + i, user.get(BYTE, userOffset + i));
        }
    }

    static void out(MemorySegment shared, long offset, MemorySegment user, long userOffset, int n) {
        checkLength(n);
        int i = 0;
        for (; i <= n - Long.BYTES; i += Long.BYTES) {
            user.set(LONG, userOffset + i, shared.get(LONG, offset + i));
        }
        for (; i < n; i++) {
            user.set(BYTE, userOffset + i, shared.get(BYTE, offset + i));
        }
    }

    private static void checkLength(int lengthBytes) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("a length of " + lengthBytes + " bytes");
        }
    }
}
