package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.link.FreeEagerSlots;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The eager slots of a client's link. The gateway has as many, so it always has one for a message
 * from here. Any thread may call this; {@link #recall} and {@link #takeRecall} need the lock of the
 * link.
 */
final class LinkEager {
    private static final int ALIGNMENT = 64;

    private final int slotBytes;
    private final FreeEagerSlots free;
    private final MemorySegment memory;
    private final long[] recalled;
    private long recallMask;

    LinkEager(int slots, int slotBytes) {
        this.slotBytes = slotBytes;
        this.free = new FreeEagerSlots(slots);
        this.memory = Arena.ofAuto().allocate(Math.max(1, (long) slots * slotBytes), ALIGNMENT);
        this.recalled = new long[slots];
    }

    int take() {
        return free.take();
    }

    void put(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        FreeEagerSlots.checkRange(position, lengthBytes, slotBytes);
        MemorySegment.copy(source, sourceOffset, memory, offset(slot) + position, lengthBytes);
    }

    MemorySegment memory() {
        return memory;
    }

    long offset(int slot) {
        return (long) slot * slotBytes;
    }

    void release(int slot) {
        free.release(slot);
    }

    /** Asks for the bytes in a slot back, for the operation of a reference. */
    void recall(int slot, long reference) {
        recalled[slot] = reference;
        recallMask |= 1L << slot;
    }

    /** The next reference to be recalled; null if there is none. */
    @Nullable Long takeRecall() {
        if (recallMask == 0) {
            return null;
        }
        int slot = Long.numberOfTrailingZeros(recallMask);
        recallMask &= recallMask - 1;
        return recalled[slot];
    }
}
