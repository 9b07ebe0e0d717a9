package org.jbmi.core.waiting;

import org.jspecify.annotations.Nullable;

/**
 * Blocked callers, first in, first out. Removal from the middle is linear in the number of callers
 * and happens only when a wait ends without a signal. Guarded by its owner's lock.
 */
public final class WaiterQueue {
    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    public void add(Waiter waiter) {
        waiter.queued = true;
        waiter.next = null;
        Waiter last = tail;
        if (last == null) {
            head = waiter;
        } else {
            last.next = waiter;
        }
        tail = waiter;
    }

    public void remove(Waiter waiter) {
        if (!waiter.queued) {
            return;
        }
        Waiter before = null;
        for (Waiter w = head; w != null; before = w, w = w.next) {
            if (w == waiter) {
                unlink(before, w);
                return;
            }
        }
    }

    /** Removes the first one and marks it; the caller wakes it. */
    public @Nullable Waiter markOne() {
        Waiter first = head;
        if (first != null) {
            unlink(null, first);
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
        while (head != null) {
            signalOne(progress);
        }
    }

    private void unlink(@Nullable Waiter before, Waiter waiter) {
        Waiter after = waiter.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (tail == waiter) {
            tail = before;
        }
        waiter.next = null;
        waiter.queued = false;
    }
}
