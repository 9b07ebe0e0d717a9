package org.jbmi.zoid.common;

import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * Slots that wait for work which must not be done where it was found: a copy, or a message to send,
 * found while messages are dispatched. First in, first out; each slot stands in it at most once; it
 * allocates nothing. Any thread.
 *
 * @param <S> kind of slot
 */
public final class DeferredSlots<S extends Slot> {
    private final Class<S> type;
    private final SpinLock lock = new SpinLock();
    private @Nullable Slot head;
    private @Nullable Slot tail;
    private volatile boolean waiting;

    /** An empty queue. */
    public DeferredSlots(Class<S> type) {
        this.type = type;
    }

    /** Appends a slot that is not in it. */
    public void add(S slot) {
        lock.lock();
        Slot last = tail;
        if (last == null) {
            head = slot;
        } else {
            last.nextDeferred(slot);
        }
        tail = slot;
        waiting = true;
        lock.unlock();
    }

    /** Whether there is none. Any thread; holds no lock. */
    public boolean isEmpty() {
        return !waiting;
    }

    /** Takes the oldest, or null. */
    public @Nullable S poll() {
        return waiting ? take() : null;
    }

    private @Nullable S take() {
        lock.lock();
        Slot first = head;
        if (first != null) {
            head = first.nextDeferred();
            first.nextDeferred(null);
            if (head == null) {
                tail = null;
                waiting = false;
            }
        }
        lock.unlock();
        return type.cast(first);
    }
}
