package org.jbmi.zoid.forward.wire;

import java.lang.foreign.MemorySegment;

/** Where arrays without copies had better begin. */
public final class Alignment {
    /** What the original asks for; an interim buffer was the price of less. */
    private static final int BYTES = 16;

    private Alignment() {}

    /**
     * Says whether memory begins at such a place; of memory in the heap nobody knows.
     *
     * @param memory an array without copies
     * @return false if it is known that it does not
     */
    public static boolean isKept(MemorySegment memory) {
        return !memory.isNative() || memory.byteSize() == 0 || memory.address() % BYTES == 0;
    }
}
