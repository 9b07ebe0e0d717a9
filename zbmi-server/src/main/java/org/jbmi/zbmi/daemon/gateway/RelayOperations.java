package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.zbmi.engine.port.SecretHash;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * The operations of a remote client by their reference. The table holds at most twice the limit of
 * pending operations: a cancel may come after the post that reuses the slot. The client chooses the
 * references, so they are hashed with a secret. Not thread-safe.
 */
final class RelayOperations {
    private static final int FIRST_SIZE = 16;

    private final int maxOperations;
    private final SecretHash hash = new SecretHash();
    private final Supplier<RelayOperation> factory;
    private final ArrayDeque<RelayOperation> free = new ArrayDeque<>();
    private @Nullable RelayOperation[] chains = new RelayOperation[FIRST_SIZE];
    private int size;

    RelayOperations(int maxPending, Supplier<RelayOperation> factory) {
        this.maxOperations = 2 * maxPending;
        this.factory = factory;
    }

    /** The index of a reference in a table whose length is a power of two. */
    int place(long reference, int length) {
        return hash.of(reference) & (length - 1);
    }

    /** Begins one; null if its reference is in use, or too many are. */
    @Nullable RelayOperation begin(long reference, boolean receives, long roomBytes) {
        if (size >= maxOperations || find(reference) != null) {
            return null;
        }
        if (size >= chains.length) {
            grow();
        }
        RelayOperation operation = free.isEmpty() ? factory.get() : free.removeLast();
        operation.begin(reference, receives, roomBytes);
        link(operation, chains);
        size++;
        return operation;
    }

    private void grow() {
        @Nullable RelayOperation[] grown = new RelayOperation[2 * chains.length];
        for (RelayOperation chain : chains) {
            RelayOperation operation = chain;
            while (operation != null) {
                RelayOperation next = operation.next;
                link(operation, grown);
                operation = next;
            }
        }
        chains = grown;
    }

    private void link(RelayOperation operation, @Nullable RelayOperation[] into) {
        int place = place(operation.reference, into.length);
        operation.next = into[place];
        into[place] = operation;
    }

    @Nullable RelayOperation find(long reference) {
        RelayOperation operation = chains[place(reference, chains.length)];
        while (operation != null && operation.reference != reference) {
            operation = operation.next;
        }
        return operation;
    }

    void end(RelayOperation operation) {
        int place = place(operation.reference, chains.length);
        RelayOperation before = null;
        RelayOperation at = chains[place];
        while (at != null && at.reference != operation.reference) {
            before = at;
            at = at.next;
        }
        if (before == null) {
            chains[place] = operation.next;
        } else {
            before.next = operation.next;
        }
        operation.next = null;
        size--;
        free.addLast(operation);
    }
}
