package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.ClientRequests;

import java.util.concurrent.atomic.AtomicLong;

/** Which eager slots of a client are free: at most 64, a bit each. Any thread; never waits. */
public final class FreeEagerSlots {
    private final AtomicLong free;

    /**
     * All of them free.
     *
     * @param slots how many, 0 to 64
     */
    public FreeEagerSlots(int slots) {
        this.free = new AtomicLong(slots == Long.SIZE ? -1 : (1L << slots) - 1);
    }

    /**
     * Takes one.
     *
     * @return its number, or {@link ClientRequests#NOT_EAGER} if there is none
     */
    public int take() {
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

    /** How many are free at this moment. */
    public int count() {
        return Long.bitCount(free.get());
    }

    /**
     * Frees one.
     *
     * @throws IllegalStateException if it is free
     */
    public void release(int slot) {
        releaseAll(1L << slot);
    }

    /**
     * Frees several.
     *
     * @throws IllegalStateException if one of them is free
     */
    public void releaseAll(long slots) {
        long now = free.get();
        while (!free.compareAndSet(now, now | slots)) {
            now = free.get();
        }
        if ((now & slots) != 0) {
            throw new IllegalStateException("an eager slot was released twice");
        }
    }

    /**
     * Refuses bytes that do not lie in a slot.
     *
     * @param position in the slot, in bytes
     * @throws IndexOutOfBoundsException if they do not
     */
    public static void checkRange(int position, int lengthBytes, int slotBytes) {
        if (position < 0 || lengthBytes < 0 || position > slotBytes - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    lengthBytes + " bytes at " + position + " of an eager slot");
        }
    }
}
