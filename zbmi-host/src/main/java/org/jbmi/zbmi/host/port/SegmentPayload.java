package org.jbmi.zbmi.host.port;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.link.ListWalk;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;

/** The engine's access to a mapped segment. For the engine's thread alone. */
public final class SegmentPayload implements EnginePayload {
    private final SharedMemory memory;
    private final SegmentMap map;
    private final SessionArea[] areas;
    private final MemorySegment[] eagerSlots;
    private final ListWalk walk;
    private long copies;

    /** A view of a segment. */
    public SegmentPayload(EngineSegment segment) {
        this.memory = segment.memory();
        this.map = segment.map();
        this.walk = new ListWalk(memory, map);
        int sessions = map.maxClients() + 1;
        long eagerBytes = (long) map.geometry().eagerSlots() * map.geometry().eagerSlotBytes();
        this.areas = new SessionArea[sessions];
        this.eagerSlots = new MemorySegment[sessions];
        for (int i = 0; i < sessions; i++) {
            areas[i] = map.session(i);
            boolean isClient = i != SegmentMap.SERVER_SESSION;
            eagerSlots[i] = memory.slice(areas[i].eagerSlotOffset(0), isClient ? eagerBytes : 0);
        }
    }

    @Override
    public boolean takeEager(int client, int slot, long sequence) {
        return memory.compareAndSetLong(
                areas[client].eagerStateOffset(slot),
                EagerState.announced(sequence),
                EagerState.taken(sequence));
    }

    @Override
    public void copyEager(int client, int slot, long bytes, long offset) {
        counted(bytes);
        copyEager(client, slot, 0, bytes, offset);
    }

    /** How many messages were copied here since the last call. */
    public long takeCopies() {
        long taken = copies;
        copies = 0;
        return taken;
    }

    private void counted(long bytes) {
        if (bytes > 0) {
            copies++;
        }
    }

    private void copyEager(int client, int slot, long position, long bytes, long offset) {
        long from = (long) slot * areas[client].eagerSlotBytes() + position;
        memory.copyIn(eagerSlots[client], from, offset, bytes);
    }

    @Override
    public boolean copyEagerToList(
            int client, int slot, long bytes, long listOffset, int listEntries) {
        boolean isSound = walk.beginList(listOffset, listEntries);
        counted(isSound ? bytes : 0);
        long done = 0;
        while (isSound && done < bytes) {
            long available = walk.available();
            if (available <= 0) {
                return false;
            }
            long piece = Math.min(available, bytes - done);
            copyEager(client, slot, done, piece, walk.position());
            walk.advance(piece);
            done += piece;
        }
        return isSound;
    }

    // Blocks for unexpected messages begin and end at words, so the last word may be written whole.
    @Override
    public void copyInline(Message message, long bytes, long offset) {
        counted(bytes);
        message.writeWords(ClientRequests.inlineWord(message), memory, offset);
    }

    @Override
    public boolean isListSound(long listOffset, int listEntries, long bytes) {
        if (!walk.beginList(listOffset, listEntries)) {
            return false;
        }
        long sum = 0;
        long available = walk.available();
        while (available > 0 && sum <= bytes) {
            sum += available;
            walk.advance(available);
            available = walk.available();
        }
        return available == 0 && sum == bytes;
    }

    @Override
    public long cancels(int client) {
        return memory.getLongVolatile(areas[client].cancelsOffset());
    }

    @Override
    public void sendTags(int client, long bits) {
        memory.setLongVolatile(areas[client].sendTagsOffset(), bits);
    }

    @Override
    public void keeps(int client, int word) {
        memory.setIntVolatile(areas[client].keepsOffset(), word);
    }

    @Override
    public void returned(int client, long word) {
        memory.setLongRelease(areas[client].returnedOffset(), word);
    }

    @Override
    public long dataSlotsBack(int client) {
        return memory.getLongAcquire(areas[client].dataSlotsBackOffset());
    }

    @Override
    public void fillDataSlot(int client, int slot, long offset, long bytes) {
        counted(bytes);
        memory.copyWithin(offset, areas[client].dataSlotOffset(slot), bytes);
    }

    @Override
    public void openWindow(int client, int window, long word) {
        memory.setLongRelease(areas[client].windowOffset(window), word);
    }

    @Override
    public long windowWord(int client, int window) {
        return memory.getLongAcquire(areas[client].windowOffset(window));
    }

    @Override
    public boolean swapWindow(int client, int window, long expected, long word) {
        return memory.compareAndSetLong(areas[client].windowOffset(window), expected, word);
    }
}
