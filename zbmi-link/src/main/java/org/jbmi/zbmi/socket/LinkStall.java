package org.jbmi.zbmi.socket;

import java.util.concurrent.TimeUnit;

/**
 * Detects a transfer that does not move. Only time in which a thread polls counts: a program that
 * made no call for an hour has not waited for its peer.
 */
final class LinkStall {
    private static final long LONGEST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final long stallNs;
    private long idleNs;
    private long lastLookNs;
    private boolean hasLooked;

    LinkStall(long stallNs) {
        this.stallNs = stallNs;
    }

    /** Nothing is to move. */
    void reset() {
        idleNs = 0;
    }

    void moved(long bytes) {
        if (bytes > 0) {
            idleNs = 0;
        }
    }

    boolean isOver(long movedBytes, long nowNs) {
        long sinceNs = hasLooked ? nowNs - lastLookNs : 0;
        hasLooked = true;
        lastLookNs = nowNs;
        idleNs = movedBytes > 0 ? 0 : idleNs + Math.min(Math.max(0, sinceNs), LONGEST_LOOK_NS);
        return idleNs >= stallNs;
    }
}
