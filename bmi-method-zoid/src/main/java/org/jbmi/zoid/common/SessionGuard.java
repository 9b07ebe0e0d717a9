package org.jbmi.zoid.common;

import org.jbmi.mempool.NanoClock;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the threads inside the calls of a session, so that its memory is unmapped when nobody is
 * inside any more. Once shut, nobody gets in.
 */
public final class SessionGuard {
    private static final int SHUT = 1 << 30;
    private static final long POLL_NS = 100_000;

    private final AtomicInteger state = new AtomicInteger();

    /** Enters; {@link #exit} must follow if it returns true. */
    public boolean enter() {
        int seen = state.incrementAndGet();
        if ((seen & SHUT) != 0) {
            state.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Leaves. */
    public void exit() {
        state.decrementAndGet();
    }

    /** Lets nobody in any more. Returns false if that was so before. */
    public boolean shut() {
        return (state.getAndUpdate(seen -> seen | SHUT) & SHUT) == 0;
    }

    /** Whether it is open and nobody is inside at this moment. */
    public boolean isIdle() {
        return state.get() == 0;
    }

    /** Whether nobody gets in any more. */
    public boolean isShut() {
        return (state.get() & SHUT) != 0;
    }

    /** Whether it is shut and nobody is inside. */
    public boolean isEmpty() {
        return state.get() == SHUT;
    }

    /**
     * Waits until nobody is inside.
     *
     * @param endNs when to give up, on the clock's scale
     * @param wake called again and again, so that sleepers look up
     * @return false if the time passed first
     */
    public boolean awaitEmpty(NanoClock clock, long endNs, Runnable wake) {
        while (!isEmpty()) {
            if (clock.nanoTime() - endNs >= 0) {
                return false;
            }
            wake.run();
            LockSupport.parkNanos(POLL_NS);
        }
        return true;
    }
}
