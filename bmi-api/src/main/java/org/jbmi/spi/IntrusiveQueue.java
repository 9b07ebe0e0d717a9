package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * A chain of nodes through one link of their own. Nodes are added at either end and taken from the
 * front, never from the middle. It is for records that wait for their next use, and for records
 * that are handed over in order. Adding to the front, and taking, touch no other node, since
 * another processor may have that node in its cache. Allocates nothing. Not thread-safe: its owner
 * has a lock.
 *
 * @param <T> what is in it
 */
public final class IntrusiveQueue<T extends LinkedNode> {
    private @Nullable LinkedNode first;
    private @Nullable LinkedNode last;
    private int size;

    /** Makes an empty queue. */
    public IntrusiveQueue() {}

    @SuppressWarnings("unchecked") // nothing else is added
    private @Nullable T typed(@Nullable LinkedNode node) {
        return (T) node;
    }

    /**
     * Whether nothing is in it.
     *
     * @return true if empty
     */
    public boolean isEmpty() {
        return first == null;
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
     * The one in front.
     *
     * @return null if empty
     */
    public @Nullable T first() {
        return typed(first);
    }

    /**
     * Appends one that stands in no queue and in no list.
     *
     * @param node the last from now on
     */
    public void addLast(T node) {
        check(node);
        LinkedNode before = last;
        if (before == null) {
            first = node;
        } else {
            before.nextNode = node;
        }
        last = node;
        size++;
    }

    /**
     * Puts one that stands in no queue and in no list to the front.
     *
     * @param node the first from now on
     */
    public void addFirst(T node) {
        check(node);
        LinkedNode after = first;
        node.nextNode = after;
        if (after == null) {
            last = node;
        }
        first = node;
        size++;
    }

    @SuppressWarnings("ReferenceEquality") // the very node
    private void check(LinkedNode node) {
        if (node.inList != null || node.nextNode != null || node == last) {
            throw new IllegalStateException("It stands in a list or a queue already.");
        }
    }

    /**
     * Takes the first one out.
     *
     * @return null if empty
     */
    public @Nullable T poll() {
        LinkedNode node = first;
        if (node != null) {
            LinkedNode after = node.nextNode;
            node.nextNode = null;
            first = after;
            if (after == null) {
                last = null;
            }
            size--;
        }
        return typed(node);
    }
}
