package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.ServerRequests.LIST_ENTRY_BYTES;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;

/**
 * Walks over a place in the segment: a granted one, or one in the expected region. A place is one
 * block, or a list of (offset, length) pairs that lies there too. It reads each word of the list
 * once, and checks each block when it reaches it. The writer of the list can change the list at any
 * time. Not thread-safe; allocates nothing.
 */
public final class ListWalk {
    private final SharedMemory memory;
    private final SegmentMap map;
    private long nextEntry;
    private int entriesLeft;
    private long at;
    private long left;

    /** Makes an empty walk. */
    public ListWalk(SharedMemory memory, SegmentMap map) {
        this.memory = memory;
        this.map = map;
    }

    /** Starts with one block, which the caller has checked. */
    public void beginBlock(long offset, long lengthBytes) {
        entriesLeft = 0;
        at = offset;
        left = lengthBytes;
    }

    /**
     * Starts with the place of a grant, which is a block or a list.
     *
     * @param grant as the engine sent it
     * @param maxListEntries how long a list may be
     * @return false if the place is not in the segment, or the list is too long
     */
    public boolean beginGrant(Message grant, int maxListEntries) {
        int entries = ClientEvents.listEntries(grant);
        if (entries != 0) {
            return entries <= maxListEntries && beginList(ClientEvents.listOffset(grant), entries);
        }
        long offset = ClientEvents.grantOffset(grant);
        long bytes = ClientEvents.grantBytes(grant);
        boolean isSound = map.isExpected(offset, bytes) || map.isUnexpected(offset, bytes);
        beginBlock(isSound ? offset : 0, isSound ? bytes : 0);
        return isSound;
    }

    /** Starts with a list; false if it does not lie in the region. */
    public boolean beginList(long listOffset, int entries) {
        entriesLeft = 0;
        left = 0;
        boolean isSound =
                entries > 0
                        && listOffset % Long.BYTES == 0
                        && map.isExpected(listOffset, (long) entries * LIST_ENTRY_BYTES);
        if (isSound) {
            nextEntry = listOffset;
            entriesLeft = entries;
        }
        return isSound;
    }

    /**
     * Moves on to a block in which there is room, if this one is used up.
     *
     * @return the bytes left in it; 0 if there are no more; -1 if the next one is not in the region
     */
    public long available() {
        while (left == 0 && entriesLeft > 0) {
            long offset = memory.getLongPlain(nextEntry);
            long length = memory.getLongPlain(nextEntry + Long.BYTES);
            nextEntry += LIST_ENTRY_BYTES;
            entriesLeft--;
            if (!map.isExpected(offset, length)) {
                return -1;
            }
            at = offset;
            left = length;
        }
        return left;
    }

    /** Where the bytes that are {@link #available} begin. */
    public long position() {
        return at;
    }

    /** Goes on; at most by what is {@link #available}. */
    public void advance(long bytes) {
        at += bytes;
        left -= bytes;
    }
}
