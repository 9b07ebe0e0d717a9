package org.jbmi.core.waiting;

/**
 * The lead's work besides polling methods. Only the lead calls, unless a comment says otherwise.
 */
public interface LeadDuties {
    /** Whether any operation has a deadline. Any thread may call this. */
    boolean hasDeadlines();

    /** Nanoseconds until the first deadline may pass; a large number if there is none. */
    long untilNextNs(long nowNs);

    /** Cancels the operations whose deadline has passed. */
    int endExpired();

    /** The lead is about to sleep, since no method has work. */
    void beforeSleep(long nowNs);

    /** A round of progress begins. */
    void beginRound();

    /** The round is over, also after a failure. */
    void endRound();
}
