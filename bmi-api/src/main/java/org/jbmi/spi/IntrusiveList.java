package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A list of nodes through their own links: constant time for everything, removal from the middle
 * included, and no allocation. A node knows its list. To add a node that is in a list throws an
 * {@link IllegalStateException}. To remove a node that is not in this list returns false. Not
 * thread-safe: its owner has a lock. A caller may ask {@link #isEmpty} without the lock where a
 * guess will do.
 *
 * @param <T> what is in it
 */
public final class IntrusiveList<T extends LinkedNode> {
    private @Nullable LinkedNode first;
    private @Nullable LinkedNode last;
    private int size;

    /** Makes an empty list. */
    public IntrusiveList() {}

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
     * The one at the end.
     *
     * @return null if empty
     */
    public @Nullable T last() {
        return typed(last);
    }

    /**
     * The one behind another.
     *
     * @param node one of this list
     * @return null at the end
     */
    public @Nullable T next(T node) {
        return typed(node.nextNode);
    }

    /**
     * The one before another.
     *
     * @param node one of this list
     * @return null in front
     */
    public @Nullable T previous(T node) {
        return typed(node.previousNode);
    }

    /**
     * Whether one stands in this list.
     *
     * @param node any
     * @return true if it does
     */
    @SuppressWarnings("ReferenceEquality") // the very list
    public boolean contains(LinkedNode node) {
        return node.inList == this;
    }

    /**
     * Appends one that stands in no list.
     *
     * @param node the last from now on
     */
    public void addLast(T node) {
        claim(node);
        LinkedNode before = last;
        node.previousNode = before;
        node.nextNode = null;
        if (before == null) {
            first = node;
        } else {
            before.nextNode = node;
        }
        last = node;
    }

    /**
     * Puts one that stands in no list to the front.
     *
     * @param node the first from now on
     */
    public void addFirst(T node) {
        claim(node);
        LinkedNode after = first;
        node.previousNode = null;
        node.nextNode = after;
        if (after == null) {
            last = node;
        } else {
            after.previousNode = node;
        }
        first = node;
    }

    private void claim(LinkedNode node) {
        if (node.inList != null) {
            throw new IllegalStateException("It stands in a list already.");
        }
        node.inList = this;
        size++;
    }

    /**
     * Takes the first one out.
     *
     * @return null if empty
     */
    public @Nullable T poll() {
        LinkedNode node = first;
        if (node != null) {
            unlink(node);
        }
        return typed(node);
    }

    /**
     * Takes one out, wherever it stands.
     *
     * @param node any
     * @return false if it stands in another list or in none; nothing happened
     */
    public boolean remove(T node) {
        if (!contains(node)) {
            return false;
        }
        unlink(node);
        return true;
    }

    private void unlink(LinkedNode node) {
        LinkedNode before = node.previousNode;
        LinkedNode after = node.nextNode;
        if (before == null) {
            first = after;
        } else {
            before.nextNode = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previousNode = before;
        }
        node.nextNode = null;
        node.previousNode = null;
        node.inList = null;
        size--;
    }

    /**
     * Takes those out that are chosen, from the first to the last.
     *
     * @param which chooses
     * @param sink gets them; must not use this list
     */
    public void drain(Predicate<? super T> which, Consumer<? super T> sink) {
        for (T node = first(); node != null; ) {
            T after = next(node);
            if (which.test(node)) {
                unlink(node);
                sink.accept(node);
            }
            node = after;
        }
    }
}
