package org.jbmi.zoid.daemon.plugin;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long the calls of one function take. Those of a function that has been quick for a while need
 * no thread of their own, which would cost more than they do. Safe for use by any thread; what gets
 * lost when two calls end at a time is a guess.
 */
public final class Pace {
    /** About what a thread of its own costs. */
    private static final long QUICK_NS = 10_000;

    /** A call that takes so long waits for something. */
    private static final long LONG_NS = 1_000_000;

    /** So many quick calls in a row make a function a quick one. */
    private static final int TRUST = 16;

    /** So many more after one that was not quick, and after one that waited. */
    private static final int AFTER_SLOW = 100;

    private static final int AFTER_LONG = 10_000;

    /** While so many calls run the next one is not expected to be quick: they may well hang. */
    private static final int MOST_RUNNING = 2;

    private final AtomicInteger running = new AtomicInteger();
    private volatile int quickCalls;

    /** Nothing is known yet. */
    Pace() {}

    /**
     * Whether the next call is expected to be quick.
     *
     * @return true if it is
     */
    public boolean isQuick() {
        return quickCalls >= TRUST && running.get() < MOST_RUNNING;
    }

    /** A call begins. */
    public void begins() {
        running.incrementAndGet();
    }

    /**
     * A call has ended.
     *
     * @param tookNs how long it took, in nanoseconds
     */
    public void ended(long tookNs) {
        int known = quickCalls;
        if (tookNs >= LONG_NS) {
            quickCalls = -AFTER_LONG;
        } else if (tookNs >= QUICK_NS) {
            quickCalls = Math.min(known, -AFTER_SLOW);
        } else if (known < TRUST) {
            quickCalls = known + 1;
        }
        running.decrementAndGet();
    }
}
