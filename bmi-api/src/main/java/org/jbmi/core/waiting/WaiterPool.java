package org.jbmi.core.waiting;

import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;

/** Waiters for use again, so that blocking allocates nothing either. */
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

    /** Back from a wait; it stands in no queue any more. */
    public void give(Waiter waiter) {
        waiter.end();
        free.offer(waiter);
    }
}
