package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.lang.foreign.MemorySegment;

/** Moves bytes between user memory and the segment. */
final class SegmentGrantMover implements GrantMover {
    private final SharedMemory memory;
    private final int maxListEntries;
    private final ListWalk walk;

    SegmentGrantMover(SharedMemory memory, SegmentMap map, int maxListEntries) {
        this.memory = memory;
        this.maxListEntries = maxListEntries;
        this.walk = new ListWalk(memory, map);
    }

    @Override
    public boolean begin(Message grant) {
        return walk.beginGrant(grant, maxListEntries);
    }

    @Override
    public boolean write(MemorySegment source, long sourceOffset, long lengthBytes) {
        return move(source, sourceOffset, lengthBytes, true);
    }

    @Override
    public boolean read(MemorySegment target, long targetOffset, long lengthBytes) {
        return move(target, targetOffset, lengthBytes, false);
    }

    private boolean move(MemorySegment user, long userOffset, long lengthBytes, boolean isWrite) {
        long at = userOffset;
        long left = lengthBytes;
        while (left > 0) {
            long available = walk.available();
            if (available <= 0) {
                return false;
            }
            long piece = Math.min(available, left);
            if (isWrite) {
                memory.copyIn(user, at, walk.position(), piece);
            } else {
                memory.copyOut(walk.position(), user, at, piece);
            }
            walk.advance(piece);
            at += piece;
            left -= piece;
        }
        return true;
    }
}
