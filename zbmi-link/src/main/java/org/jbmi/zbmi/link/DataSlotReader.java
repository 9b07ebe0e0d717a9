package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;

/**
 * The client's side of its data slots; see {@link ClientEvents#DATA_SLOT}. For the thread that
 * dispatches the engine's messages.
 */
final class DataSlotReader {
    private final SharedMemory memory;
    private final SessionArea area;
    private long back;

    DataSlotReader(SharedMemory memory, SessionArea area) {
        this.memory = memory;
        this.area = area;
    }

    void read(int slot, int position, MemorySegment target, int lengthBytes) {
        FreeEagerSlots.checkRange(position, lengthBytes, area.eagerSlotBytes());
        long at = area.dataSlotOffset(slot) + position;
        memory.copyOut(at, target, 0, lengthBytes);
    }

    // Behind all reads of the slot: from here on the engine may write there.
    void release() {
        back++;
        memory.setLongRelease(area.dataSlotsBackOffset(), back);
    }
}
