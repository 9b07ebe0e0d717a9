package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** An object that threads wait for. It is finished once, under the pump's lock. */
public abstract class Awaited {
    private volatile boolean finished;
    private @Nullable List<Thread> waiters;

    /** For subclasses. */
    protected Awaited() {}

    /** Whether it is over: from {@link #finish} on. What was written before is visible then. */
    public final boolean isFinished() {
        return finished;
    }

    /** Ends all waits; under the lock. */
    protected final void finish() {
        finished = true;
        List<Thread> woken = waiters;
        waiters = null;
        if (woken != null) {
            for (int i = 0; i < woken.size(); i++) { // no lambda: the heap may be full
                LockSupport.unpark(woken.get(i));
            }
        }
    }

    /** Under the lock. */
    final void addWaiter(Thread thread) {
        List<Thread> list = waiters;
        if (list == null) {
            list = new ArrayList<>(1);
            waiters = list;
        }
        list.add(thread);
    }

    /** Under the lock. */
    final void removeWaiter(Thread thread) {
        if (waiters != null) {
            waiters.remove(thread);
        }
    }
}
