package org.jbmi.zoid.daemon.plugin;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long the calls of one function take. If a function has been quick for a while, its calls get
 * no thread of their own. The thread would cost more than the call. Safe for use by any thread; a
 * lost update, when two calls end at the same time, does no harm.
 */
public final class Pace {
    /** About the cost of a thread. */
    private static final long QUICK_NS = 10_000;

    /** A call that takes this long waits for something. */
    private static final long LONG_NS = 1_000_000;

    /** How many quick calls in a row make a function quick. */
    private static final int TRUST = 16;

    /** How many more it needs after a call that was slow or waited. */
    private static final int AFTER_SLOW = 100;

    private static final int AFTER_LONG = 10_000;

    /** While so many calls run, they may hang, so the next one counts as slow. */
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
