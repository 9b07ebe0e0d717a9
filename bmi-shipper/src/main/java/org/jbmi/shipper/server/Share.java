package org.jbmi.shipper.server;

/** The share of one peer of a server, over all its sessions. Guarded by the pump's lock. */
final class Share {
    /** Running handlers. */
    int running;

    /** Calls that wait for their turn. */
    int waiting;

    /**
     * Whether a peer may have one more. It has at most half of what is free or its own, so that
     * some is always left for others; but always as many as one session may have.
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
