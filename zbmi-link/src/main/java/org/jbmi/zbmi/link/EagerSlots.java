package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;

/** The client's side of its eager slots; see {@link EagerState}. Any thread. */
final class EagerSlots {
    private final SharedMemory memory;
    private final SessionArea area;
    private final FreeEagerSlots free;
    private final long[] sequences;

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

    void put(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        FreeEagerSlots.checkRange(position, lengthBytes, area.eagerSlotBytes());
        long at = area.eagerSlotOffset(slot) + position;
        if (lengthBytes <= SharedMemory.SMALL_COPY_BYTES) {
            memory.copyInSmall(source, sourceOffset, at, lengthBytes);
        } else {
            memory.copyIn(source, sourceOffset, at, lengthBytes);
        }
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
