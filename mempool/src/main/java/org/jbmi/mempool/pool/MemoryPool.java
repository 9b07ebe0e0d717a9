package org.jbmi.mempool.pool;

import org.jbmi.mempool.os.ArenaCloser;
import org.jbmi.mempool.os.LazyMemory;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Buffers cut from one segment by a {@link PoolAllocator}. The segment is shared with other
 * processes, or private to this one. Offsets count from the start of the segment, so they mean the
 * same in every process that maps it.
 *
 * <p>A buffer belongs to the code that allocated it until it is freed; any thread may use it. A use
 * after the free reads or damages other bytes in the pool, and none outside. Thread-safe.
 */
public final class MemoryPool implements AutoCloseable {
    private static final long CLOSE_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_LOGGED = 16;

    private final MemorySegment segment;
    private final PoolAllocator allocator;
    private final long address;
    private final @Nullable Arena ownArena;

    /**
     * A pool in a part of a segment with another owner.
     *
     * @param segment native memory; must outlive the pool
     * @param allocator over a range of it, used for nothing else
     */
    public MemoryPool(MemorySegment segment, PoolAllocator allocator) {
        this(segment, allocator, null);
    }

    private MemoryPool(MemorySegment segment, PoolAllocator allocator, @Nullable Arena ownArena) {
        if (!segment.isNative() || segment.address() % PoolAllocator.ALIGNMENT_BYTES != 0) {
            throw new IllegalArgumentException("a pool needs native memory, aligned to 64 bytes");
        }
        Objects.checkFromIndexSize(
                allocator.baseOffset(), allocator.capacityBytes(), segment.byteSize());
        this.segment = segment;
        this.allocator = allocator;
        this.address = segment.address();
        this.ownArena = ownArena;
    }

    /**
     * A pool of private memory, which it owns. With native access, unused pages cost nothing;
     * without, all are touched now.
     *
     * @param sizeBytes of the pool, at least 64; it does not grow
     * @return the pool, to be closed
     * @throws OutOfMemoryError if there is no memory for it
     */
    public static MemoryPool privatePool(long sizeBytes) {
        return privatePool(sizeBytes, new PoolAllocator(0, sizeBytes));
    }

    /**
     * The same without a lock of its own. In each call of it or of its allocator, except {@link
     * #close}, the caller must hold the owner's lock.
     *
     * @param sizeBytes of the pool, at least 64; it does not grow
     * @return the pool, to be closed
     * @throws OutOfMemoryError if there is no memory for it
     */
    public static MemoryPool guardedByOwner(long sizeBytes) {
        return privatePool(sizeBytes, PoolAllocator.guardedByOwner(0, sizeBytes));
    }

    private static MemoryPool privatePool(long sizeBytes, PoolAllocator allocator) {
        Arena arena = Arena.ofShared();
        return new MemoryPool(LazyMemory.allocate(sizeBytes, arena), allocator, arena);
    }

    /**
     * Allocates a buffer, aligned to 64 bytes. Not cleared.
     *
     * @param sizeBytes of the buffer; 0 gives one of no bytes, which is to be freed as well
     * @return the buffer, or null if there is no memory for it or the size is negative
     */
    public @Nullable MemorySegment allocate(long sizeBytes) {
        long offset = allocator.allocate(sizeBytes);
        if (offset == PoolAllocator.NO_MEMORY) {
            return null;
        }
        MemorySegment buffer = null;
        try {
            buffer = segment.asSlice(offset, sizeBytes);
            return buffer;
        } finally {
            if (buffer == null) {
                allocator.free(offset); // there was no memory for the view
            }
        }
    }

    /**
     * Frees a buffer.
     *
     * @param buffer that {@link #allocate} returned, or any that starts at the same byte
     * @return {@link PoolAllocator#FREED}, {@link PoolAllocator#NOT_A_BLOCK} or {@link
     *     PoolAllocator#IN_USE}
     */
    public int free(MemorySegment buffer) {
        return allocator.free(offsetOf(buffer));
    }

    /**
     * The offset of a buffer, whether its block is allocated or not.
     *
     * @param buffer of any kind
     * @return offset of its first byte in the segment; -1 if it does not lie in the range of this
     *     pool with all its bytes
     */
    public long offsetOf(MemorySegment buffer) {
        if (!buffer.isNative()) {
            return -1;
        }
        long offset = buffer.address() - address;
        long distance = offset - allocator.baseOffset();
        long room = allocator.capacityBytes() - distance;
        return distance < 0 || room <= 0 || buffer.byteSize() > room ? -1 : offset;
    }

    /**
     * Pins the block around a buffer for an operation; to be undone by {@link PoolAllocator#unpin}.
     *
     * @param buffer of any kind
     * @return offset of its first byte in the segment; -1, and nothing is pinned, if it does not
     *     lie inside one allocated block of this pool
     */
    public long pin(MemorySegment buffer) {
        long offset = offsetOf(buffer);
        return allocator.pin(offset, buffer.byteSize()) ? offset : -1;
    }

    /**
     * The allocator, for offsets, pins, statistics and leaks.
     *
     * @return the same object at each call
     */
    public PoolAllocator allocator() {
        return allocator;
    }

    /**
     * Logs buffers that were not freed, as far as their allocation was tracked: up to 16, each with
     * its size, thread and stack.
     *
     * @param log of the pool's owner
     * @return how many buffers are allocated
     */
    public long reportLeaks(System.Logger log) {
        return report(allocator.leaks(), log);
    }

    /**
     * As {@link #reportLeaks}, for an owner that has listed the blocks under its lock, and logs
     * without the lock.
     *
     * @param leaks of the allocator
     * @param log of whoever owns the pool
     * @return how many buffers are allocated
     */
    public static long report(List<Leak> leaks, System.Logger log) {
        leaks.stream()
                .filter(leak -> !leak.stackText().isEmpty())
                .limit(MOST_LOGGED)
                .forEach(
                        leak ->
                                log.log(
                                        System.Logger.Level.WARNING,
                                        "A buffer of {0} bytes was never freed; the thread \"{1}\""
                                                + " allocated it:\n{2}",
                                        Long.toString(leak.sizeBytes()),
                                        leak.threadName(),
                                        leak.stackText()));
        return leaks.size();
    }

    /**
     * The segment in which the pool lies.
     *
     * @return the whole segment
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Frees the memory of a private pool; its buffers cannot be used any more. Does nothing for a
     * segment with another owner, and nothing the second time.
     *
     * @throws IllegalStateException if a native call has held the memory for a second; closing
     *     again tries again
     */
    @Override
    public void close() {
        close(System.nanoTime() + CLOSE_PATIENCE_NS);
    }

    /**
     * As {@link #close()}, without a wait beyond a deadline.
     *
     * @param deadlineNs on {@link System#nanoTime()}'s scale; may be over or very far
     * @throws IllegalStateException if a native call has held the memory for a second, or until
     *     then; closing again tries again
     */
    public void close(long deadlineNs) {
        long patienceNs = Math.min(CLOSE_PATIENCE_NS, deadlineNs - System.nanoTime());
        if (ownArena != null && !ArenaCloser.close(ownArena, patienceNs)) {
            throw new IllegalStateException("a native call still uses a buffer of the pool");
        }
    }
}
