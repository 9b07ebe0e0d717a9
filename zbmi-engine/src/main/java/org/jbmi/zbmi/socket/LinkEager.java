package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.ClientRequests;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The eager slots of a client's link: as many as the gateway has for it, so that there is always
 * one there for what is sent from here. Any thread, but {@link #recall} and {@link #takeRecall}
 * under the lock of the link.
 */
final class LinkEager {
    private static final int ALIGNMENT = 64;

    private final int slotBytes;
    private final AtomicLong free;
    private final MemorySegment memory;
    private final long[] recalled;
    private long recallMask;

    LinkEager(int slots, int slotBytes) {
        this.slotBytes = slotBytes;
        this.free = new AtomicLong(slots == Long.SIZE ? -1 : (1L << slots) - 1);
        this.memory = Arena.ofAuto().allocate(Math.max(1, (long) slots * slotBytes), ALIGNMENT);
        this.recalled = new long[slots];
    }

    int take() {
        long now = free.get();
        while (now != 0) {
            long lowest = Long.lowestOneBit(now);
            if (free.compareAndSet(now, now & ~lowest)) {
                return Long.numberOfTrailingZeros(lowest);
            }
            now = free.get();
        }
        return ClientRequests.NOT_EAGER;
    }

    void put(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        if (position < 0 || lengthBytes < 0 || position > slotBytes - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    lengthBytes + " bytes at " + position + " of an eager slot");
        }
        MemorySegment.copy(source, sourceOffset, memory, offset(slot) + position, lengthBytes);
    }

    MemorySegment memory() {
        return memory;
    }

    long offset(int slot) {
        return (long) slot * slotBytes;
    }

    void release(int slot) {
        long bit = 1L << slot;
        if ((free.getAndUpdate(now -> now | bit) & bit) != 0) {
            throw new IllegalStateException("eager slot " + slot + " was released twice");
        }
    }

    /** Notes that the bytes in a slot are wanted back, for the operation of a reference. */
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
