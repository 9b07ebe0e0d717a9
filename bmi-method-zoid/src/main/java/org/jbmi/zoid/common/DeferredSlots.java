package org.jbmi.zoid.common;

import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue of slots with deferred work: a copy or a send that became due during dispatch. The
 * dispatching thread must not do it there. First in, first out; a slot is in it at most once;
 * allocates nothing. A retry of operations that are not in it is deferred by a flag. Any thread may
 * call this.
 */
public final class DeferredSlots<S extends Slot> {
    private final SpinLock lock = new SpinLock();
    private final IntrusiveQueue<S> slots = new IntrusiveQueue<>();
    private volatile boolean waiting;
    private volatile boolean isRetryWanted;

    /** An empty queue. */
    public DeferredSlots() {}

    /** Appends a slot that is not in it. */
    public void add(S slot) {
        lock.lock();
        try {
            slots.addLast(slot);
            waiting = true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether anything is deferred. Any thread; takes no lock. */
    public boolean hasWork() {
        return waiting || isRetryWanted;
    }

    /** Whether operations that wait for memory are to be retried. */
    public boolean isRetryWanted() {
        return isRetryWanted;
    }

    /** Sets whether they are. */
    public void wantRetry(boolean isWanted) {
        isRetryWanted = isWanted;
    }

    /** Removes the oldest; null if it is empty. */
    public @Nullable S poll() {
        return waiting ? take() : null;
    }

    private @Nullable S take() {
        lock.lock();
        S first = slots.poll();
        if (slots.isEmpty()) {
            waiting = false;
        }
        lock.unlock();
        return first;
    }
}
