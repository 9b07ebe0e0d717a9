package org.jbmi.zoid.common;

import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue of slots with deferred work: a copy or a send that became due during dispatch. The
 * dispatching thread must not do it there. First in, first out; a slot is in it at most once;
 * allocates nothing. Any thread may call this.
 */
public final class DeferredSlots<S extends Slot> {
    private final SpinLock lock = new SpinLock();
    private final IntrusiveQueue<S> slots = new IntrusiveQueue<>();
    private volatile boolean waiting;

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

    /** Whether it is empty. Any thread; takes no lock. */
    public boolean isEmpty() {
        return !waiting;
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
