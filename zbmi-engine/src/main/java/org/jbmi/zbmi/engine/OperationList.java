package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** Operations in order of arrival, linked through fields of their own. */
final class OperationList {
    private @Nullable Operation first;
    private @Nullable Operation last;
    private int size;

    @Nullable Operation first() {
        return first;
    }

    @Nullable Operation last() {
        return last;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void addLast(Operation operation) {
        operation.previous = last;
        operation.next = null;
        if (last == null) {
            first = operation;
        } else {
            last.next = operation;
        }
        last = operation;
        size++;
    }

    void addFirst(Operation operation) {
        operation.previous = null;
        operation.next = first;
        if (first == null) {
            last = operation;
        } else {
            first.previous = operation;
        }
        first = operation;
        size++;
    }

    void remove(Operation operation) {
        Operation before = operation.previous;
        Operation after = operation.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        operation.previous = null;
        operation.next = null;
        size--;
    }
}
