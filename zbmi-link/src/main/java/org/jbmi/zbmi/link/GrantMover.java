package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.lang.foreign.MemorySegment;

/**
 * Moves the bytes of one claimed grant at a time between the program's memory and the granted place
 * in the segment. This place is a block or a list of blocks. The bytes move piece by piece and in
 * order. Each entry of a list is checked again when it is used. Not thread-safe; allocates nothing.
 */
public class GrantMover {
    private final SharedMemory memory;
    private final int maxListEntries;
    private final ListWalk walk;

    /** Moves nothing yet. */
    public GrantMover(SharedMemory memory, SegmentMap map, int maxListEntries) {
        this.memory = memory;
        this.maxListEntries = maxListEntries;
        this.walk = new ListWalk(memory, map);
    }

    /**
     * Begins with a grant.
     *
     * @param grant a GRANT message that was claimed; not kept
     * @return false if its place is not in the segment: send DONE with a code
     */
    public boolean begin(Message grant) {
        return walk.beginGrant(grant, maxListEntries);
    }

    /**
     * Writes the next bytes of a send.
     *
     * @return false if the place granted cannot hold them: send DONE with a code
     */
    public boolean write(MemorySegment source, long sourceOffset, long lengthBytes) {
        return move(source, sourceOffset, lengthBytes, true);
    }

    /**
     * Reads the next bytes of a receive.
     *
     * @return false if the place granted has no more: send DONE with a code
     */
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
