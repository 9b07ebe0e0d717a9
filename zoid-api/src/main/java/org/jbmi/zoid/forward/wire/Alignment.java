package org.jbmi.zoid.forward.wire;

import java.lang.foreign.MemorySegment;

/** The alignment of arrays with {@code zerocopy}. */
public final class Alignment {
    /** The original needs this alignment, and copies other arrays through a buffer. */
    private static final int BYTES = 16;

    private Alignment() {}

    /**
     * Whether memory is aligned; memory in the heap counts as aligned.
     *
     * @param memory an array with {@code zerocopy}
     * @return false for native memory at another address
     */
    public static boolean isKept(MemorySegment memory) {
        return !memory.isNative() || memory.byteSize() == 0 || memory.address() % BYTES == 0;
    }
}
