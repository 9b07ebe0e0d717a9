package org.jbmi.shipper.server;

/**
 * What one peer has of a server, over all its sessions: a process that opens many is one peer.
 * Guarded by the pump's lock.
 */
final class Share {
    /** Handlers that run. */
    int running;

    /** Calls that wait for their turn. */
    int waiting;

    /**
     * Whether one more may be had. A peer has at most half of what is free or its own, so that
     * there is always some left for others; but what one session may have it always may.
     *
     * @param own how many it has
     * @param all how many everybody has
     * @param most how many there are
     * @param ofOneSession how many one session may have
     */
    static boolean mayGrow(int own, int all, int most, int ofOneSession) {
        int left = most - all;
        return left > 0 && (own < ofOneSession || own < (left + own) / 2);
    }
}
