package org.jbmi.core.waiting;

import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;

/** Waiters that are reused, so that blocking allocates nothing. */
public final class WaiterPool {
    private static final int KEPT = 128;

    private final MpmcVarHandleArrayQueue<Waiter> free = new MpmcVarHandleArrayQueue<>(KEPT);

    /** A waiter of the calling thread. */
    public Waiter take() {
        Waiter waiter = free.poll();
        if (waiter == null) {
            waiter = new Waiter();
        }
        waiter.begin();
        return waiter;
    }

    /** Returns a waiter that is in no queue. */
    public void give(Waiter waiter) {
        waiter.end();
        free.offer(waiter);
    }
}
