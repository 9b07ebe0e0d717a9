package org.jbmi.shipper.server;

import org.jbmi.shipper.wire.Tags;

import java.util.BitSet;

/**
 * Chooses the lanes of sessions, one after the other, for all servers of an instance. A client may
 * not know yet that its session has ended, here or on a server before this one. Until it knows, its
 * receives on that lane are posted, and would take messages of another client of the same peer. So
 * a lane is used again as late as possible.
 */
final class LaneTurn {
    private int last;

    /**
     * The next lane that a peer does not use.
     *
     * @param used the lanes of the peer
     * @return 0 if there is none
     */
    synchronized int next(BitSet used) {
        int lane = used.nextClearBit(last + 1);
        if (lane > Tags.MAX_LANE) {
            lane = used.nextClearBit(1);
        }
        if (lane > Tags.MAX_LANE) {
            return 0;
        }
        last = lane;
        return lane;
    }
}
