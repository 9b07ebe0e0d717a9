package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * A first-in first-out queue of operations through their own links: constant time for everything,
 * removal from the middle included, and no allocation. An operation stands in one queue at a time.
 * Not thread-safe: its owner has a lock.
 */
public final class OperationQueue {
    private @Nullable Operation head;
    private @Nullable Operation tail;
    private int size;

    /** Makes an empty queue. */
    public OperationQueue() {}

    /**
     * Whether nothing is in it.
     *
     * @return true if empty
     */
    public boolean isEmpty() {
        return head == null;
    }

    /**
     * How many are in it.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * The oldest.
     *
     * @return null if empty
     */
    public @Nullable Operation peek() {
        return head;
    }

    /**
     * Appends one that stands in no queue.
     *
     * @param operation the newest from now on
     */
    public void add(Operation operation) {
        claim(operation);
        Operation last = tail;
        operation.previous = last;
        operation.next = null;
        if (last == null) {
            head = operation;
        } else {
            last.next = operation;
        }
        tail = operation;
    }

    /**
     * Puts one back to the front.
     *
     * @param operation the oldest from now on
     */
    public void addFirst(Operation operation) {
        claim(operation);
        Operation first = head;
        operation.next = first;
        operation.previous = null;
        if (first == null) {
            tail = operation;
        } else {
            first.previous = operation;
        }
        head = operation;
    }

    /**
     * Takes the oldest.
     *
     * @return null if empty
     */
    public @Nullable Operation poll() {
        Operation first = head;
        if (first != null) {
            remove(first);
        }
        return first;
    }

    /**
     * Whether one stands in this queue.
     *
     * @param operation any
     * @return true if it does
     */
    public boolean contains(Operation operation) {
        return operation.queue == this;
    }

    /**
     * Takes one out, wherever it stands.
     *
     * @param operation one of this queue
     * @return false if it stands in another queue or in none; nothing happened
     */
    public boolean remove(Operation operation) {
        if (operation.queue != this) {
            return false;
        }
        Operation before = operation.previous;
        Operation after = operation.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        operation.next = null;
        operation.previous = null;
        operation.queue = null;
        size--;
        return true;
    }

    private void claim(Operation operation) {
        if (operation.queue != null) {
            throw new IllegalStateException("The operation stands in a queue already.");
        }
        operation.queue = this;
        size++;
    }
}
