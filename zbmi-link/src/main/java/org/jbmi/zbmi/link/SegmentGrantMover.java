package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.lang.foreign.MemorySegment;

/** Moves bytes between user memory and the segment. */
final class SegmentGrantMover implements GrantMover {
    private final SharedMemory memory;
    private final SegmentMap map;
    private final int maxListEntries;
    private final ListWalk walk;

    SegmentGrantMover(SharedMemory memory, SegmentMap map, int maxListEntries) {
        this.memory = memory;
        this.map = map;
        this.maxListEntries = maxListEntries;
        this.walk = new ListWalk(memory, map);
    }

    @Override
    public boolean begin(Message grant) {
        int entries = ClientEvents.listEntries(grant);
        if (entries != 0) {
            return entries <= maxListEntries
                    && walk.beginList(ClientEvents.listOffset(grant), entries);
        }
        long offset = ClientEvents.grantOffset(grant);
        long bytes = ClientEvents.grantBytes(grant);
        boolean isSound = map.isExpected(offset, bytes) || map.isUnexpected(offset, bytes);
        walk.beginBlock(isSound ? offset : 0, isSound ? bytes : 0);
        return isSound;
    }

    @Override
    public boolean write(MemorySegment source, long sourceOffset, long lengthBytes) {
        long from = sourceOffset;
        long left = lengthBytes;
        while (left > 0) {
            long available = walk.available();
            if (available <= 0) {
                return false;
            }
            long piece = Math.min(available, left);
            if (piece <= SharedMemory.SMALL_COPY_BYTES) {
                memory.copyInSmall(source, from, walk.position(), (int) piece);
            } else {
                memory.copyIn(source, from, walk.position(), piece);
            }
            walk.advance(piece);
            from += piece;
            left -= piece;
        }
        return true;
    }

    @Override
    public boolean read(MemorySegment target, long targetOffset, long lengthBytes) {
        long to = targetOffset;
        long left = lengthBytes;
        while (left > 0) {
            long available = walk.available();
            if (available <= 0) {
                return false;
            }
            long piece = Math.min(available, left);
            if (piece <= SharedMemory.SMALL_COPY_BYTES) {
                memory.copyOutSmall(walk.position(), target, to, (int) piece);
            } else {
                memory.copyOut(walk.position(), target, to, piece);
            }
            walk.advance(piece);
            to += piece;
            left -= piece;
        }
        return true;
    }
}
