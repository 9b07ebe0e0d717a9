package org.jbmi.zoid.client;

import java.lang.foreign.MemorySegment;

/** A link with a free eager slot at any time, whose bytes nobody reads. */
interface EagerLink extends QuietLink {
    @Override
    default int takeEagerSlot() {
        return 0;
    }

    @Override
    default void putEager(
            int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {}

    @Override
    default long announceEager(int slot) {
        return 1;
    }
}
