package org.jbmi.mempool.pool;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * The pool of a method in one process, made at the first allocation. The blocks of an operation are
 * pinned from its post to its end, so that they cannot be freed meanwhile.
 *
 * <p>A block belongs to the code that allocated it until it is freed, or until the pool is closed.
 * Thread-safe.
 */
public final class PinnedPool {
    /** At least one buffer lies in the pool and is pinned. */
    public static final int PINNED = 1;

    /** No buffer lies in the pool. */
    public static final int FOREIGN = 0;

    /** A buffer lies in freed memory, or outside although it must not; nothing is pinned. */
    public static final int REFUSED = -1;

    /** Pauses between attempts to make the pool are so many times as long as an attempt. */
    private static final int PAUSES = 20;

    /** The longest pause: an attempt during which the process was stopped tells nothing. */
    private static final long MOST_PAUSE_NS = 10_000_000_000L;

    private static final Buffers<MemorySegment> ITSELF = (buffer, index) -> buffer;

    private final System.Logger log;
    private final long sizeBytes;
    private final boolean isTracked;
    private final LongConsumer blocks;
    private volatile @Nullable MemoryPool pool;
    private boolean isReported;

    /** When the last attempt to make the pool failed, and how long to wait for the next. */
    private long failedNs = System.nanoTime();

    private long pauseNs;
    private volatile boolean closed;

    /**
     * Reads the buffers of an operation of any type. A method reference that captures nothing needs
     * no allocation.
     *
     * @param <T> the type of the operation
     */
    @FunctionalInterface
    public interface Buffers<T> {
        /**
         * One of the buffers.
         *
         * @param operation the operation
         * @param index from 0
         * @return the buffer, of any kind
         */
        MemorySegment at(T operation, int index);
    }

    /**
     * Makes a pool without memory yet.
     *
     * @param log takes a warning for blocks that are left at the end, if allocations are tracked
     * @param sizeBytes of the pool, at least 64; it does not grow
     * @param isTracked whether to record where each block is allocated, for these warnings
     * @param blocks gets the difference, for example 1 or -1, when the number of allocated blocks
     *     changes
     */
    public PinnedPool(System.Logger log, long sizeBytes, boolean isTracked, LongConsumer blocks) {
        this.log = log;
        this.sizeBytes = sizeBytes;
        this.isTracked = isTracked;
        this.blocks = blocks;
    }

    /**
     * Whether a buffer can lie in it.
     *
     * @return false until the first allocation
     */
    public boolean exists() {
        return pool != null;
    }

    /**
     * Allocates a block, aligned to 64 bytes. Not cleared.
     *
     * @param size in bytes; 0 gives a block of no bytes, which is to be freed as well
     * @return the block, or null if there is no memory for it, the size is negative or the pool is
     *     closed. If another thread closes the pool meanwhile, the returned block may already be
     *     invalid
     */
    public @Nullable MemorySegment allocate(long size) {
        if (size < 0 || size > sizeBytes || closed) {
            return null;
        }
        MemoryPool existing = pool;
        if (existing == null) {
            existing = create();
        }
        MemorySegment memory = existing == null ? null : existing.allocate(size);
        if (memory != null) {
            blocks.accept(1);
        }
        return memory;
    }

    /**
     * Makes the pool; null if there is no memory for it, and a later allocation tries again. To
     * find that out may take the JVM as long as full collections of garbage.
     */
    private synchronized @Nullable MemoryPool create() {
        long nowNs = System.nanoTime();
        if (pool == null && !closed && nowNs - failedNs >= pauseNs) {
            try {
                MemoryPool made = MemoryPool.privatePool(sizeBytes);
                made.allocator().trackAllocations(isTracked);
                pool = made;
            } catch (OutOfMemoryError e) {
                failedNs = System.nanoTime();
                pauseNs = Math.min(MOST_PAUSE_NS, PAUSES * (failedNs - nowNs));
            }
        }
        return pool;
    }

    /**
     * Frees a block.
     *
     * @param memory that {@link #allocate} returned, or any that starts at the same byte
     * @return {@link PoolAllocator#FREED}, {@link PoolAllocator#NOT_A_BLOCK} or {@link
     *     PoolAllocator#IN_USE}
     */
    public int free(MemorySegment memory) {
        MemoryPool existing = pool;
        int outcome =
                existing == null || closed ? PoolAllocator.NOT_A_BLOCK : existing.free(memory);
        if (outcome == PoolAllocator.FREED) {
            blocks.accept(-1);
        }
        return outcome;
    }

    /**
     * Pins those buffers of an operation that lie in the pool. Buffers of 0 bytes are ignored.
     *
     * @param <T> the type of the operation
     * @param operation the operation
     * @param count of its buffers
     * @param buffers reads them
     * @param onlyPool whether all bytes must lie in the pool
     * @return {@link #PINNED}, to be undone by {@link #unpin}; {@link #FOREIGN}; or {@link
     *     #REFUSED} if a buffer lies in a block that was freed, or outside though it must not
     */
    public <T> int pin(T operation, int count, Buffers<T> buffers, boolean onlyPool) {
        MemoryPool existing = pool;
        int found = FOREIGN;
        for (int i = 0; i < count; i++) {
            MemorySegment buffer = buffers.at(operation, i);
            if (buffer.byteSize() == 0) {
                continue;
            }
            boolean inPool = existing != null && existing.offsetOf(buffer) >= 0;
            boolean refused = (existing != null && inPool) ? existing.pin(buffer) < 0 : onlyPool;
            if (refused) {
                unpin(operation, i, buffers);
                return REFUSED;
            }
            if (inPool) {
                found = PINNED;
            }
        }
        return found;
    }

    /**
     * Unpins the buffers of an operation.
     *
     * @param <T> the type of the operation
     * @param operation the operation
     * @param count of its buffers
     * @param buffers reads them
     */
    public <T> void unpin(T operation, int count, Buffers<T> buffers) {
        MemoryPool existing = pool;
        for (int i = 0; existing != null && i < count; i++) {
            MemorySegment buffer = buffers.at(operation, i);
            long offset = buffer.byteSize() == 0 ? -1 : existing.offsetOf(buffer);
            if (offset >= 0) {
                existing.allocator().unpin(offset);
            }
        }
    }

    /**
     * Pins one buffer if it lies in the pool; {@link #unpin(MemorySegment)} must follow.
     *
     * @param buffer of any kind
     * @return false if it lies in a block that was freed; nothing is pinned then
     */
    public boolean pin(MemorySegment buffer) {
        return !exists() || pin(buffer, 1, ITSELF, false) != REFUSED;
    }

    /**
     * Unpins one buffer.
     *
     * @param buffer as it was pinned
     */
    public void unpin(MemorySegment buffer) {
        unpin(buffer, 1, ITSELF);
    }

    /**
     * Logs blocks that are not freed, as {@link MemoryPool#reportLeaks} does. Only the first call
     * does.
     *
     * @return how many blocks are not freed; 0 from the second call on
     */
    public synchronized long reportLeaks() {
        MemoryPool existing = pool;
        boolean isFirst = !isReported;
        isReported = true;
        return existing == null || !isFirst ? 0 : existing.reportLeaks(log);
    }

    /**
     * Frees the memory; no block can be used any more. Calls {@link #reportLeaks} first.
     *
     * @param deadlineNs on {@link System#nanoTime()}'s scale; may be over or very far
     * @return how many blocks were not freed; 0 if {@link #reportLeaks} was called before
     * @throws IllegalStateException if a native call has held the memory for a second, or until
     *     then; closing again tries again
     */
    public synchronized long close(long deadlineNs) {
        MemoryPool existing = pool;
        closed = true;
        try {
            long left = reportLeaks();
            blocks.accept(-left);
            return left;
        } finally {
            if (existing != null) {
                existing.close(deadlineNs);
            }
        }
    }
}
