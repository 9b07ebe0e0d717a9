package org.jbmi.zbmi.daemon.gateway;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The operations of a remote client by their reference. It holds at most twice the limit of pending
 * operations: a cancel may come after the post that reuses the slot. The client chooses the
 * references; a {@link HashMap} finds one quickly also among many of the same hash. Not
 * thread-safe.
 */
final class RelayOperations {
    private final int maxOperations;
    private final Supplier<RelayOperation> factory;
    private final ArrayDeque<RelayOperation> free = new ArrayDeque<>();
    private final Map<Long, RelayOperation> begun = new HashMap<>();

    RelayOperations(int maxPending, Supplier<RelayOperation> factory) {
        this.maxOperations = 2 * maxPending;
        this.factory = factory;
    }

    /** Begins one; null if its reference is in use, or too many are. */
    @Nullable RelayOperation begin(long reference, boolean receives, long roomBytes) {
        if (begun.size() >= maxOperations || begun.containsKey(reference)) {
            return null;
        }
        RelayOperation operation = free.isEmpty() ? factory.get() : free.removeLast();
        operation.begin(reference, receives, roomBytes);
        begun.put(reference, operation);
        return operation;
    }

    @Nullable RelayOperation find(long reference) {
        return begun.get(reference);
    }

    void end(RelayOperation operation) {
        begun.remove(operation.reference);
        free.addLast(operation);
    }
}
