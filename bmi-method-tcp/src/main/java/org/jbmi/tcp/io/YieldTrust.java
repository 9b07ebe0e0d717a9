package org.jbmi.tcp.io;

/**
 * Whether a lead that is about to sleep yields its processor first. If the peer waits for the same
 * processor, it runs and answers meanwhile, and the system need not wake anybody. Otherwise a yield
 * is in vain, or it lets a program run that does not answer. So the lead yields as long as that
 * pays. After that it sleeps at once, and tries a yield only now and then. Used by the lead.
 */
public final class YieldTrust {
    /** Yields of a wait: after the first one the system may run the same thread again. */
    static final int YIELDS = 2;

    /**
     * A wait with yields in vain costs two reads, and a message after a yield saves one look at the
     * selector, in seven of eight cases. So the lead stops before yields have cost much.
     */
    static final int COST = 3;

    /** Four waits in a row may yield in vain. */
    static final int TRUST = 4 * COST;

    /** During a longer yield another program has had a time slice. */
    static final long LONG_NS = 200_000;

    /** How many sleeps come between two tries; twice as many after each try in vain. */
    static final int LEAST_PAUSE = 64;

    static final int MOST_PAUSE = 4096;

    private int trust = TRUST;
    private int yields;
    private int pause = LEAST_PAUSE;
    private int sleepsLeft;

    /** Whether to yield now; else the wait goes on with a sleep. */
    public boolean mayYield() {
        if (sleepsLeft > 0) {
            sleepsLeft--;
            return false;
        }
        if (yields < YIELDS) {
            return true;
        }
        yields = 0;
        trust -= COST;
        if (trust <= 0) {
            rest();
        }
        return false;
    }

    /**
     * Learns from a yield.
     *
     * @param found whether there was a message afterwards
     * @param tookNs how long the yield and the look took, in nanoseconds
     */
    public void ended(boolean found, long tookNs) {
        if (tookNs > LONG_NS) {
            yields = 0;
            rest();
        } else if (found) {
            yields = 0;
            trust = Math.min(trust + 1, TRUST);
            pause = LEAST_PAUSE;
        } else {
            yields++;
        }
    }

    private void rest() {
        sleepsLeft = pause;
        pause = Math.min(2 * pause, MOST_PAUSE);
        trust = COST;
    }
}
