package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;

/**
 * The client's side of its eager slots; see {@link EagerState}. Any thread may call this; the lock
 * of the sender guards the lent slots. The client lends a slot only while more than half of all are
 * free, so half is left to other messages.
 */
final class EagerSlots {
    private final SharedMemory memory;
    private final SessionArea area;
    private final FreeEagerSlots free;
    private final long[] sequences;

    /** Those that are lent, as far as is known here. */
    private long lent;

    /** A bit for each slot, which changes whenever the slot is lent. */
    private long loans;

    EagerSlots(SharedMemory memory, SessionArea area) {
        this.memory = memory;
        this.area = area;
        int slots = area.eagerSlots();
        this.free = new FreeEagerSlots(slots);
        this.sequences = new long[slots];
    }

    int take() {
        return free.take();
    }

    // The word is on a line that the engine writes: it is read only if it must be.
    int takeToLend() {
        if (mustKeepFree()) {
            takeReturned();
        }
        return mustKeepFree() ? ClientRequests.NOT_EAGER : free.take();
    }

    private boolean mustKeepFree() {
        return free.count() <= area.eagerSlots() / 2;
    }

    // The engine's bit of a slot has changed as often as the one here once the slot is given back.
    private void takeReturned() {
        long returned = memory.getLongAcquire(area.returnedOffset());
        long back = lent & ~(returned ^ loans);
        if (back != 0) {
            free.releaseAll(back);
            lent &= ~back;
        }
    }

    void lend(int slot) {
        lent |= 1L << slot;
        loans ^= 1L << slot;
    }

    void put(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        FreeEagerSlots.checkRange(position, lengthBytes, area.eagerSlotBytes());
        long at = area.eagerSlotOffset(slot) + position;
        memory.copyIn(source, sourceOffset, at, lengthBytes);
    }

    // The slot belongs to this thread until it is released, so its sequence has one writer.
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
        free.release(slot);
    }
}
