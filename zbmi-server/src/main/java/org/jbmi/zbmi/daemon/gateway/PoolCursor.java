package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ListWalk;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.socket.PayloadCursor;

import java.nio.ByteBuffer;

/**
 * Walks over a place that was granted in the segment. A list is read block by block, and each block
 * is checked when it is reached.
 */
final class PoolCursor implements PayloadCursor {
    private final PoolViews views;
    private final ListWalk walk;
    private final int maxListEntries;

    PoolCursor(SharedMemory memory, SegmentMap map, PoolViews views, int maxListEntries) {
        this.views = views;
        this.walk = new ListWalk(memory, map);
        this.maxListEntries = maxListEntries;
    }

    /** Starts with a grant; false if its place is not in the segment. */
    boolean begin(Message grant) {
        return walk.beginGrant(grant, maxListEntries);
    }

    @Override
    public int window(ByteBuffer[] target, int from, long maxBytes) {
        long available = walk.available();
        if (available <= 0) {
            return 0;
        }
        target[from] = views.view(walk.position(), Math.min(available, maxBytes));
        return 1;
    }

    @Override
    public void advance(long bytes) {
        walk.advance(bytes);
    }
}
