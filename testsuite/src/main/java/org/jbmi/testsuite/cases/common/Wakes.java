package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.Expect;

import java.util.concurrent.Callable;

/**
 * Waits that an event must end at once. A thread that nobody wakes looks by itself after a second.
 * So a lost wake-up shows only if the event comes more than 300 ms before that look. Some threads
 * look so often that a lost wake-up of theirs never shows. One that sleeps on a word in shared
 * memory looks ten times a second. A virtual thread, or one that waits in a second selector, looks
 * each millisecond.
 */
public final class Wakes {
    private static final long PROMPT_NS = 300_000_000;

    private Wakes() {}

    /**
     * Fails unless most waits end at once; some may be late on a busy machine.
     *
     * @param attempt begins its wait less than half a second before the event, and returns how long
     *     after the event the wait ended, in nanoseconds
     * @param what the wait
     * @throws Exception if an attempt does
     */
    public static void expectPrompt(Callable<Long> attempt, String what) throws Exception {
        Expect.mostlySoon(attempt, PROMPT_NS, what);
    }
}
