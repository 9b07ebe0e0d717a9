package org.jbmi.shipper.server;

import org.jbmi.shipper.wire.Tags;
import org.jbmi.spi.NumberTable;

/**
 * Chooses the lanes of sessions, one after the other, for all servers of an instance. A client may
 * not know yet that its session has ended, here or on a server before this one. Until it knows, its
 * receives on that lane are posted, and would take messages of another client of the same peer. So
 * a lane comes again only after all others had their turn.
 */
final class LaneTurn {
    private int last;

    /** The next lane that is not among the used ones of a peer; 0 if there is none. */
    synchronized int next(NumberTable<?> used) {
        int lane = last;
        for (int i = 0; i < Tags.MAX_LANE; i++) {
            lane = lane % Tags.MAX_LANE + 1;
            if (used.get(lane) == null) {
                last = lane;
                return lane;
            }
        }
        return 0;
    }
}
