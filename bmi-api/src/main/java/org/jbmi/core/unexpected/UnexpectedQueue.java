package org.jbmi.core.unexpected;

import org.jbmi.core.waiting.WaiterQueue;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one class or one listener, and the callers blocked on them. Guarded by the store's
 * lock.
 */
final class UnexpectedQueue {
    final WaiterQueue waiters = new WaiterQueue();
    private @Nullable UnexpectedBuffer head;
    private @Nullable UnexpectedBuffer tail;

    /** Messages on their way into this queue. */
    private @Nullable UnexpectedQueue staged;

    boolean isEmpty() {
        return head == null;
    }

    void add(UnexpectedBuffer buffer) {
        buffer.next = null;
        UnexpectedBuffer last = tail;
        if (last == null) {
            head = buffer;
        } else {
            last.next = buffer;
        }
        tail = buffer;
    }

    @Nullable UnexpectedBuffer poll() {
        UnexpectedBuffer first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
        }
        return first;
    }

    /** Takes the whole list out, oldest first. */
    @Nullable UnexpectedBuffer clear() {
        UnexpectedBuffer first = head;
        head = null;
        tail = null;
        return first;
    }

    /** Stages a message, in the order of arrival; {@link #mergeStaged} adds it to the queue. */
    void stage(UnexpectedBuffer buffer) {
        UnexpectedQueue queue = staged;
        if (queue == null) {
            queue = new UnexpectedQueue();
            staged = queue;
        }
        queue.add(buffer);
    }

    /**
     * Merges the staged messages into the queue by their order of arrival, since a listener that
     * closes gives its messages back.
     *
     * @return whether there was anything
     */
    boolean mergeStaged() {
        UnexpectedQueue others = staged;
        if (others == null) {
            return false;
        }
        staged = null;
        UnexpectedBuffer a = clear();
        UnexpectedBuffer b = others.clear();
        while (a != null || b != null) {
            UnexpectedBuffer first;
            if (b == null || (a != null && a.arrival <= b.arrival)) {
                first = a;
                a = first == null ? null : first.next;
            } else {
                first = b;
                b = b.next;
            }
            if (first != null) {
                add(first);
            }
        }
        return true;
    }
}
