package org.jbmi.core;

import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for one kind of taker (a class, or a listener), and the callers blocked on
 * them. Guarded by the store's lock.
 */
final class UnexpectedQueue {
    final WaiterQueue waiters = new WaiterQueue();
    private @Nullable CoreUnexpectedBuffer head;
    private @Nullable CoreUnexpectedBuffer tail;

    boolean isEmpty() {
        return head == null;
    }

    void add(CoreUnexpectedBuffer buffer) {
        buffer.next = null;
        CoreUnexpectedBuffer last = tail;
        if (last == null) {
            head = buffer;
        } else {
            last.next = buffer;
        }
        tail = buffer;
    }

    @Nullable CoreUnexpectedBuffer poll() {
        CoreUnexpectedBuffer first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
        }
        return first;
    }

    /** Takes the whole chain out, oldest first. */
    @Nullable CoreUnexpectedBuffer clear() {
        CoreUnexpectedBuffer first = head;
        head = null;
        tail = null;
        return first;
    }

    /**
     * Puts a chain in, each message at its place among those that are here already, by arrival:
     * what a listener that closes gives back must not lose its order.
     */
    void merge(@Nullable CoreUnexpectedBuffer chain) {
        CoreUnexpectedBuffer a = clear();
        CoreUnexpectedBuffer b = chain;
        while (a != null || b != null) {
            CoreUnexpectedBuffer first;
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
    }
}
