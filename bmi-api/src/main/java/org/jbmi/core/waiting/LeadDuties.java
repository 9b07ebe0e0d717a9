package org.jbmi.core.waiting;

/** What the lead does besides polling methods. The lead alone calls, unless it says otherwise. */
public interface LeadDuties {
    /** Whether anything has a deadline. Any thread. */
    boolean hasDeadlines();

    /** How long until the first deadline may pass; a large number if there is none. */
    long untilNextNs(long nowNs);

    /**
     * Ends what has passed its deadline.
     *
     * @return how much that was
     */
    int endExpired();

    /** A round of progress begins. */
    void beginRound();

    /** The round is over, whatever happened in it. */
    void endRound();
}
