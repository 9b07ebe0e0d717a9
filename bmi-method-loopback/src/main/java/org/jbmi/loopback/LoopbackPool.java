package org.jbmi.loopback;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.MemoryPool;
import org.jbmi.mempool.PoolAllocator;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The memory that one member gives out by memalloc, made at the first call of it. Blocks that
 * operations use are pinned, so that they cannot be freed under them; an operation's second word
 * says whether it holds pins.
 */
final class LoopbackPool {
    private static final int EINVAL = ErrorCode.EINVAL.negativeValue();
    private static final int EBUSY = ErrorCode.EBUSY.negativeValue();

    private static final System.Logger LOG = System.getLogger(LoopbackPool.class.getName());

    private final long sizeBytes;
    private final boolean isTracked;
    private final Counter blocks;
    private final Counter leakedBlocks;
    private volatile @Nullable MemoryPool pool;
    private boolean closed;

    LoopbackPool(long sizeBytes, boolean isTracked, Counters counters) {
        this.sizeBytes = sizeBytes;
        this.isTracked = isTracked;
        this.blocks = counters.register(2007, "loopback.poolBlocks", "blocks");
        this.leakedBlocks = counters.register(2008, "loopback.leakedBlocks", "blocks");
    }

    /** Whether any buffer can lie in it. */
    boolean exists() {
        return pool != null;
    }

    @Nullable MemorySegment allocate(long size) {
        if (size < 0 || size > sizeBytes) {
            return null;
        }
        MemoryPool existing = pool;
        if (existing == null) {
            existing = create();
        }
        MemorySegment memory = existing == null ? null : existing.allocate(size);
        if (memory != null) {
            blocks.increment();
        }
        return memory;
    }

    private synchronized @Nullable MemoryPool create() {
        if (pool == null && !closed) {
            MemoryPool made = MemoryPool.privatePool(sizeBytes);
            made.allocator().trackAllocations(isTracked);
            pool = made;
        }
        return pool;
    }

    int free(MemorySegment memory) {
        MemoryPool existing = pool;
        int outcome = existing == null ? PoolAllocator.NOT_A_BLOCK : existing.free(memory);
        return switch (outcome) {
            case PoolAllocator.FREED -> {
                blocks.add(-1);
                yield 0;
            }
            case PoolAllocator.IN_USE -> EBUSY;
            default -> EINVAL;
        };
    }

    /**
     * Pins those buffers of an operation that lie in the pool.
     *
     * @param onlyPool whether all bytes must lie in it
     * @return 0, or EINVAL if they do not or if a buffer lies in a block that was freed
     */
    int pin(Operation operation, boolean onlyPool) {
        MemoryPool existing = pool;
        boolean pinned = false;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            if (buffer.byteSize() == 0) {
                continue;
            }
            boolean inPool = existing != null && existing.offsetOf(buffer) >= 0;
            boolean refused = (existing != null && inPool) ? existing.pin(buffer) < 0 : onlyPool;
            if (refused) {
                unpin(existing, operation, i);
                return EINVAL;
            }
            pinned |= inPool;
        }
        operation.word1(pinned ? 1 : 0);
        return 0;
    }

    void unpin(Operation operation) {
        if (operation.word1() != 0) {
            operation.word1(0);
            unpin(pool, operation, operation.bufferCount());
        }
    }

    private static void unpin(@Nullable MemoryPool pool, Operation operation, int bufferCount) {
        for (int i = 0; pool != null && i < bufferCount; i++) {
            MemorySegment buffer = operation.buffer(i);
            long offset = buffer.byteSize() == 0 ? -1 : pool.offsetOf(buffer);
            if (offset >= 0) {
                pool.allocator().unpin(offset);
            }
        }
    }

    synchronized void close() {
        closed = true;
        MemoryPool existing = pool;
        if (existing != null) {
            long left = existing.reportLeaks(LOG);
            leakedBlocks.add(left);
            blocks.add(-left);
            existing.close();
        }
    }
}
