package org.jbmi.zoid.client;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The buffers that a client allocates: from a pool of its own process, made at the first use. */
final class ClientMemory {
    private static final System.Logger LOG = System.getLogger(ClientMemory.class.getName());

    private final PinnedPool pool;

    ClientMemory(long poolBytes, boolean isTracked) {
        pool = new PinnedPool(LOG, poolBytes, isTracked, change -> {});
    }

    @Nullable MemorySegment allocate(long sizeBytes) {
        return pool.allocate(sizeBytes);
    }

    int free(MemorySegment memory) {
        return switch (pool.free(memory)) {
            case PoolAllocator.FREED -> 0;
            case PoolAllocator.IN_USE -> ErrorCode.EBUSY.negativeValue();
            default -> ErrorCode.EINVAL.negativeValue();
        };
    }

    /**
     * Pins those buffers of an operation that lie in the pool, so that they cannot be freed.
     *
     * @return false if one lies in a block that was freed; nothing is pinned then
     */
    boolean pin(ClientOperation slot) {
        if (!pool.exists()) {
            return true;
        }
        Operation operation = slot.operation();
        int pins = pool.pin(operation, operation.bufferCount(), Operation::buffer, false);
        slot.pinned = pins == PinnedPool.PINNED;
        return pins != PinnedPool.REFUSED;
    }

    /**
     * The same, of one buffer without an operation; {@link #unpin(MemorySegment)} must follow.
     *
     * @return false if it lies in a block that was freed
     */
    boolean pin(MemorySegment buffer) {
        return !pool.exists()
                || pool.pin(buffer, 1, (only, i) -> only, false) != PinnedPool.REFUSED;
    }

    /** Unpins it. */
    void unpin(MemorySegment buffer) {
        if (pool.exists()) {
            pool.unpin(buffer, 1, (only, i) -> only);
        }
    }

    /** Unpins them. */
    void unpin(ClientOperation slot) {
        if (slot.pinned) {
            slot.pinned = false;
            Operation operation = slot.operation();
            pool.unpin(operation, operation.bufferCount(), Operation::buffer);
        }
    }

    /**
     * Logs the blocks that are still allocated, as far as their allocation was tracked.
     *
     * @return how many there are; 0 from the second call on
     */
    long reportLeaks() {
        return pool.reportLeaks();
    }

    /** Frees all, without a wait beyond a deadline. */
    void close(long deadlineNs) {
        pool.close(deadlineNs);
    }
}
