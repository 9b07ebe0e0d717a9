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
 * first-in first-out in levels that double the number of slots, and the lowest level that has one
 * gives it, so that the generations of all slots of a level rise together: with 64 slots, 17 slot
 * bits and twenty million operations a second an id comes back after three years. Slots, and the
 * queues of levels, are made when they are needed and kept.
 */
final class OperationTable {
    private static final int CHUNK_BITS = 6;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int ID_BITS = 62;

    /** The slots of the first level; each further level has as many as all before it. */
    private static final int FIRST_LEVEL_BITS = 10;

    private final int slotBits;
    private final int most;
    private final int slotMask;

    /** Free operations by the level of their slot; a level is made with its first slot. */
    private final @Nullable MpmcVarHandleArrayQueue<CoreOperation>[] free;

    private final ReentrantLock growLock = new ReentrantLock();
    private final CoreOperation[] @Nullable [] chunks;
    private volatile int made;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    OperationTable(int maxOperations) {
        most = maxOperations;
        slotBits = Math.max(CHUNK_BITS, 32 - Integer.numberOfLeadingZeros(maxOperations - 1));
        int capacity = 1 << slotBits;
        slotMask = capacity - 1;
        free = new MpmcVarHandleArrayQueue[levelOf(capacity - 1) + 1];
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
        int inUse = made;
        for (MpmcVarHandleArrayQueue<CoreOperation> level : free) {
            inUse -= level == null ? 0 : level.size();
        }
        return inUse;
    }

    /** Takes a free operation, or null if as many as allowed are in use. */
    @Nullable CoreOperation take() {
        CoreOperation operation = poll();
        return operation != null ? operation : grow();
    }

    private @Nullable CoreOperation poll() {
        int slots = made;
        int levels = slots == 0 ? 0 : levelOf(slots - 1) + 1;
        for (int i = 0; i < levels; i++) {
            CoreOperation operation = levelAt(i).poll();
            if (operation != null) {
                return operation;
            }
        }
        return null;
    }

    private static int levelOf(int slot) {
        return 32 - Integer.numberOfLeadingZeros(slot >> FIRST_LEVEL_BITS);
    }

    private MpmcVarHandleArrayQueue<CoreOperation> levelAt(int index) {
        MpmcVarHandleArrayQueue<CoreOperation> level = free[index];
        if (level == null) {
            throw new IllegalStateException("No slot of level " + index + " was made.");
        }
        return level;
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
        levelAt(levelOf(operation.slot)).offer(operation);
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
            CoreOperation again = poll();
            if (again != null || made == most) {
                return again;
            }
            int first = made;
            int end = Math.min(first + CHUNK, most);
            CoreOperation[] chunk = new CoreOperation[CHUNK];
            for (int i = 0; i < CHUNK; i++) {
                chunk[i] = new CoreOperation(first + i);
            }
            int level = levelOf(first);
            if (free[level] == null) {
                int capacity = 1 << (FIRST_LEVEL_BITS + Math.max(0, level - 1));
                free[level] = new MpmcVarHandleArrayQueue<>(capacity);
            }
            chunks[first >> CHUNK_BITS] = chunk;
            made = end;
            for (int i = 1; i < end - first; i++) {
                levelAt(level).offer(chunk[i]);
            }
            return chunk[0];
        } finally {
            growLock.unlock();
        }
    }
}
