package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** All operations of one owner, in no particular order: for its limit, and for its end. */
final class OwnedOperations {
    private @Nullable Operation first;
    private int size;

    @Nullable Operation first() {
        return first;
    }

    int size() {
        return size;
    }

    void add(Operation operation) {
        operation.ownerPrevious = null;
        operation.ownerNext = first;
        if (first != null) {
            first.ownerPrevious = operation;
        }
        first = operation;
        size++;
    }

    void remove(Operation operation) {
        Operation before = operation.ownerPrevious;
        Operation after = operation.ownerNext;
        if (before == null) {
            first = after;
        } else {
            before.ownerNext = after;
        }
        if (after != null) {
            after.ownerPrevious = before;
        }
        operation.ownerPrevious = null;
        operation.ownerNext = null;
        size--;
    }
}
