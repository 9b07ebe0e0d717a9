package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.Expect;

/**
 * Waits that an event must end at once. A thread that nobody wakes looks by itself after a second.
 * So a lost wake-up shows only if the event comes more than 300 ms before that look. Some threads
 * look so often that a lost wake-up of theirs never shows: ten times a second one that sleeps on a
 * word in shared memory, each millisecond a virtual thread, or one that waits in a second selector.
 */
public final class Wakes {
    private static final long PROMPT_NS = 300_000_000;
    private static final int ATTEMPTS = 10;

    private Wakes() {}

    /** One wait. */
    public interface Attempt {
        /**
         * Waits.
         *
         * @return how long after the event the wait ended, in nanoseconds
         * @throws Exception if the case fails
         */
        long lateNs() throws Exception;
    }

    /**
     * Fails unless one wait of several ends at once; the others may be late on a busy machine.
     *
     * @param attempt begins its wait less than half a second before the event
     * @param what the wait
     * @throws Exception if an attempt does
     */
    public static void expectPrompt(Attempt attempt, String what) throws Exception {
        long lateNs = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && lateNs > PROMPT_NS; i++) {
            lateNs = attempt.lateNs();
        }
        Expect.that(lateNs <= PROMPT_NS, what + " ends at once, not after " + lateNs + " ns");
    }
}
