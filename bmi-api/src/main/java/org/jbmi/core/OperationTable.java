package org.jbmi.core;

import org.jbmi.PostResult;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * All operations of an instance, bounded, found by id in constant time.
 *
 * <p>An id is {@link PostResult#PENDING_BIT}, a generation and a slot. Free operations queue
 * first-in first-out, so that the generations of all slots made so far rise together: with 64
 * slots, 17 slot bits and twenty million operations a second an id comes back after three years.
 * Slots are made when they are needed and kept.
 */
final class OperationTable {
    private static final int CHUNK_BITS = 6;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int ID_BITS = 62;

    private final int slotBits;
    private final int most;
    private final int slotMask;
    private final MpmcVarHandleArrayQueue<CoreOperation> free;
    private final ReentrantLock growLock = new ReentrantLock();
    private final CoreOperation[] @Nullable [] chunks;
    private volatile int made;

    OperationTable(int maxOperations) {
        most = maxOperations;
        slotBits = Math.max(CHUNK_BITS, 32 - Integer.numberOfLeadingZeros(maxOperations - 1));
        int capacity = 1 << slotBits;
        slotMask = capacity - 1;
        free = new MpmcVarHandleArrayQueue<>(capacity);
        chunks = new CoreOperation[capacity >> CHUNK_BITS][];
    }

    static long idOf(long generation, int slot, int slotBits) {
        long mask = (1L << (ID_BITS - slotBits)) - 1;
        return PostResult.PENDING_BIT | (generation & mask) << slotBits | slot;
    }

    int slotBits() {
        return slotBits;
    }

    /** Operations pending or unreported; exact when nothing moves. */
    int inUse() {
        return made - free.size();
    }

    /** Takes a free operation, or null if as many as allowed are in use. */
    @Nullable CoreOperation take() {
        CoreOperation operation = free.poll();
        return operation != null ? operation : grow();
    }

    /**
     * Gives an operation back. Its id dies first: a post that is just about to give it a deadline
     * sees that under the heap's lock, so that no deadline outlives its operation.
     */
    void free(CoreOperation operation, DeadlineQueue deadlines) {
        operation.endIdentity();
        if (operation.hasDeadline()) {
            deadlines.remove(operation);
        }
        operation.retire();
        free.offer(operation);
    }

    /** Finds a live operation, or null for every other number. */
    @Nullable CoreOperation find(long id) {
        if (id < PostResult.PENDING_BIT) {
            return null;
        }
        int slot = (int) (id & slotMask);
        if (slot >= made) {
            return null;
        }
        CoreOperation[] chunk = chunks[slot >> CHUNK_BITS];
        if (chunk == null) {
            return null;
        }
        CoreOperation operation = chunk[slot & (CHUNK - 1)];
        return operation.id() == id ? operation : null;
    }

    /** Looks at every operation ever made, whatever its state. */
    void forEach(Consumer<CoreOperation> action) {
        int count = made;
        for (int slot = 0; slot < count; slot++) {
            CoreOperation[] chunk = chunks[slot >> CHUNK_BITS];
            if (chunk != null) {
                action.accept(chunk[slot & (CHUNK - 1)]);
            }
        }
    }

    private @Nullable CoreOperation grow() {
        growLock.lock();
        try {
            CoreOperation again = free.poll();
            if (again != null || made == most) {
                return again;
            }
            int first = made;
            int end = Math.min(first + CHUNK, most);
            CoreOperation[] chunk = new CoreOperation[CHUNK];
            for (int i = 0; i < CHUNK; i++) {
                chunk[i] = new CoreOperation(first + i);
            }
            chunks[first >> CHUNK_BITS] = chunk;
            made = end;
            for (int i = 1; i < end - first; i++) {
                free.offer(chunk[i]);
            }
            return chunk[0];
        } finally {
            growLock.unlock();
        }
    }
}
