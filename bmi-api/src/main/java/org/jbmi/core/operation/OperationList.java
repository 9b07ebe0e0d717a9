package org.jbmi.core.operation;

import org.jspecify.annotations.Nullable;

/**
 * A first-in-first-out list of free operations, linked through a field of their own. Guarded by its
 * owner's lock.
 */
final class OperationList {
    private @Nullable CoreOperation head;
    private @Nullable CoreOperation tail;
    private int size;

    int size() {
        return size;
    }

    void add(CoreOperation operation) {
        CoreOperation last = tail;
        operation.nextDone = null;
        if (last == null) {
            head = operation;
        } else {
            last.nextDone = operation;
        }
        tail = operation;
        size++;
    }

    @Nullable CoreOperation poll() {
        CoreOperation first = head;
        if (first != null) {
            head = first.nextDone;
            if (head == null) {
                tail = null;
            }
            first.nextDone = null;
            size--;
        }
        return first;
    }
}
