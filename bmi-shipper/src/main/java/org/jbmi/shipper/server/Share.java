package org.jbmi.shipper.server;

/** The share of one peer of a server, over all its sessions. Guarded by the pump's lock. */
final class Share {
    /** Running handlers. */
    int running;

    /** Calls that wait for their turn. */
    int waiting;

    /** Whether nothing of the peer runs or waits. */
    boolean isUnused() {
        return running == 0 && waiting == 0;
    }

    /**
     * Whether a peer may have one more. A peer gets at most half of the places that are free or
     * already its own. It always gets as many as one session may have, while places are free.
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
