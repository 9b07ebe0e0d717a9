package org.jbmi.zoid.client;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.MemoryPool;
import org.jbmi.mempool.PoolAllocator;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The buffers that a client allocates: from a pool of its own process, made at the first use. */
final class ClientMemory implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ClientMemory.class.getName());

    private final long poolBytes;
    private final boolean isTracked;
    private volatile @Nullable MemoryPool pool;
    private boolean isReported;
    private boolean closed;

    ClientMemory(long poolBytes, boolean isTracked) {
        this.poolBytes = poolBytes;
        this.isTracked = isTracked;
    }

    @Nullable MemorySegment allocate(long sizeBytes) {
        MemoryPool open = pool();
        return open == null ? null : open.allocate(sizeBytes);
    }

    private @Nullable MemoryPool pool() {
        MemoryPool open = pool;
        return open == null ? make() : open;
    }

    private synchronized @Nullable MemoryPool make() {
        if (pool == null && !closed) {
            MemoryPool made = MemoryPool.privatePool(poolBytes);
            made.allocator().trackAllocations(isTracked);
            pool = made;
        }
        return pool;
    }

    int free(MemorySegment memory) {
        MemoryPool open = pool;
        int freed = open == null ? PoolAllocator.NOT_A_BLOCK : open.free(memory);
        return switch (freed) {
            case PoolAllocator.FREED -> 0;
            case PoolAllocator.IN_USE -> ErrorCode.EBUSY.negativeValue();
            default -> ErrorCode.EINVAL.negativeValue();
        };
    }

    /** Keeps the pool's buffers among an operation's from being freed. */
    void pin(ClientOperation slot) {
        MemoryPool open = pool;
        if (open == null) {
            return;
        }
        Operation operation = slot.operation();
        for (int i = 0; i < operation.bufferCount(); i++) {
            slot.pinned |= open.pin(operation.buffer(i)) >= 0;
        }
    }

    /** Takes that back. */
    void unpin(ClientOperation slot) {
        MemoryPool open = pool;
        if (!slot.pinned || open == null) {
            return;
        }
        slot.pinned = false;
        Operation operation = slot.operation();
        for (int i = 0; i < operation.bufferCount(); i++) {
            long offset = open.offsetOf(operation.buffer(i));
            if (offset >= 0) {
                open.allocator().unpin(offset);
            }
        }
    }

    /**
     * Logs the blocks that are still allocated, as far as their allocation was tracked.
     *
     * @return how many there are; 0 from the second call on
     */
    synchronized long reportLeaks() {
        MemoryPool open = pool;
        boolean isFirst = !isReported;
        isReported = true;
        return open == null || !isFirst ? 0 : open.reportLeaks(LOG);
    }

    @Override
    public synchronized void close() {
        closed = true;
        MemoryPool open = pool;
        if (open != null) {
            open.close();
        }
    }
}
