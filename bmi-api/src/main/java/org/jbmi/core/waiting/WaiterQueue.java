package org.jbmi.core.waiting;

import org.jbmi.spi.IntrusiveList;
import org.jspecify.annotations.Nullable;

/** Blocked callers, first in, first out. Guarded by its owner's lock. */
public final class WaiterQueue {
    private final IntrusiveList<Waiter> waiters = new IntrusiveList<>();

    public void add(Waiter waiter) {
        waiters.addLast(waiter);
    }

    /** Removes a caller, if it is there. */
    public void remove(Waiter waiter) {
        waiters.remove(waiter);
    }

    /** Removes the first one and marks it; the caller wakes it. */
    public @Nullable Waiter markOne() {
        Waiter first = waiters.poll();
        if (first != null) {
            first.mark();
        }
        return first;
    }

    /** Removes the first one and wakes it. */
    public void signalOne(Progress progress) {
        Waiter first = markOne();
        if (first != null) {
            first.wake(progress);
        }
    }

    public void signalAll(Progress progress) {
        while (!waiters.isEmpty()) {
            signalOne(progress);
        }
    }
}
