package org.jbmi.loopback;

import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The bytes behind {@link UnexpectedStore}, made when the first message comes. A message is
 * identified by its offset; its block is never empty, so no two messages begin at the same address.
 * Guarded by the inbox.
 */
final class UnexpectedMemory {
    private final long sizeBytes;
    private final @Nullable UnexpectedSender[] holders;
    private @Nullable MemoryPool pool;
    private boolean closed;

    UnexpectedMemory(long sizeBytes) {
        this.sizeBytes = sizeBytes;
        this.holders =
                new UnexpectedSender[Math.toIntExact(sizeBytes / PoolAllocator.ALIGNMENT_BYTES)];
    }

    long freeBytes() {
        return pool == null ? sizeBytes : pool.allocator().freeBytes();
    }

    long usedBytes() {
        return pool == null ? 0 : pool.allocator().usedBytes();
    }

    /** Returns the offset of a block, or -1 if there is none. */
    long allocate(long messageBytes, UnexpectedSender holder) {
        if (closed) {
            return PoolAllocator.NO_MEMORY;
        }
        if (pool == null) {
            pool = MemoryPool.guardedByOwner(sizeBytes);
        }
        long offset = pool.allocator().allocate(messageBytes);
        if (offset >= 0) {
            holders[slot(offset)] = holder;
        }
        return offset;
    }

    /** The sender for whom a block was allocated, or null if it is no block. */
    @Nullable UnexpectedSender holder(long offset) {
        return offset < 0 || offset >= sizeBytes ? null : holders[slot(offset)];
    }

    long blockBytes(long offset) {
        return pool == null ? 0 : pool.allocator().blockSize(offset);
    }

    void free(long offset) {
        if (pool != null) {
            pool.allocator().free(offset);
            holders[slot(offset)] = null;
        }
    }

    MemorySegment segment() {
        if (pool == null) {
            throw new IllegalStateException("No message was ever kept here.");
        }
        return pool.segment();
    }

    /** Gives no block from now on. */
    void close() {
        closed = true;
    }

    /**
     * Frees the memory, without the lock, after {@link #close}.
     *
     * @throws IllegalStateException if a native call of the program holds it
     */
    void freeAll(long deadlineNs) {
        if (pool != null) {
            pool.close(deadlineNs);
        }
    }

    private static int slot(long offset) {
        return (int) (offset / PoolAllocator.ALIGNMENT_BYTES);
    }
}
