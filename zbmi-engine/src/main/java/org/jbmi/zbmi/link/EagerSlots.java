package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** The eager slots of a client, as the client uses them; see {@link EagerState}. Any thread. */
final class EagerSlots {
    private final SharedMemory memory;
    private final SessionArea area;
    private final AtomicLong free;
    private final long[] sequences;

    EagerSlots(SharedMemory memory, SessionArea area) {
        this.memory = memory;
        this.area = area;
        int slots = area.eagerSlots();
        this.free = new AtomicLong(slots == Long.SIZE ? -1 : (1L << slots) - 1);
        this.sequences = new long[slots];
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
        if (position < 0 || lengthBytes < 0 || position > area.eagerSlotBytes() - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    lengthBytes + " bytes at " + position + " of an eager slot");
        }
        long at = area.eagerSlotOffset(slot) + position;
        if (lengthBytes <= SharedMemory.SMALL_COPY_BYTES) {
            memory.copyInSmall(source, sourceOffset, at, lengthBytes);
        } else {
            memory.copyIn(source, sourceOffset, at, lengthBytes);
        }
    }

    // The slot is this thread's until it is released, so its sequence has one writer.
    long announce(int slot) {
        long sequence = ++sequences[slot];
        memory.setLongRelease(area.eagerStateOffset(slot), EagerState.announced(sequence));
        return sequence;
    }

    boolean withdraw(int slot, long sequence) {
        boolean isMine =
                memory.compareAndSetLong(
                        area.eagerStateOffset(slot),
                        EagerState.announced(sequence),
                        EagerState.withdrawn(sequence));
        if (isMine) {
            release(slot);
        }
        return isMine;
    }

    void release(int slot) {
        long bit = 1L << slot;
        if ((free.getAndUpdate(now -> now | bit) & bit) != 0) {
            throw new IllegalStateException("eager slot " + slot + " was released twice");
        }
    }
}
