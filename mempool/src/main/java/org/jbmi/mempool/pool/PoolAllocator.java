package org.jbmi.mempool.pool;

import static org.jbmi.mempool.pool.BlockTable.NONE;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Allocates and frees blocks of a range of memory. It uses offsets only and never touches the
 * range. Its records lie in the heap of this process, where neither another process nor an overrun
 * of a block can reach them.
 *
 * <p>A request is served whenever a free block is long enough, up to the bound on the number of
 * blocks. To allocate and to free takes constant time. The exception is the search among the free
 * blocks of one size class, whose lengths differ by about 3 %. The time of this search grows with
 * the logarithm of the number of these blocks.
 *
 * <p>Blocks start at multiples of {@value #ALIGNMENT_BYTES} bytes and are a multiple of that long.
 * Free neighbours are joined at once. A block that operations use is pinned and cannot be freed.
 * Every misuse is refused with its own code and changes nothing.
 *
 * <p>Thread-safe by one lock, its own or {@link #guardedByOwner its owner's}. A call holds it for
 * some tens of nanoseconds. Only {@link #leaks} holds it longer, since it looks at all blocks. No
 * call waits for anything meanwhile. Allocating and freeing makes no garbage. The allocator makes
 * the records of blocks, 32 bytes each, in chunks, and reuses them. It makes a chunk when the
 * number of blocks first reaches a new height, up to a bound.
 */
public final class PoolAllocator {
    /** The result of {@link #allocate} if there is no block of that size. */
    public static final long NO_MEMORY = -1;

    /** The block was freed. */
    public static final int FREED = 0;

    /** Nothing was freed: no allocated block starts there. */
    public static final int NOT_A_BLOCK = -1;

    /** Nothing was freed: operations use the block; free it when they are done. */
    public static final int IN_USE = -2;

    /** Alignment of blocks, and the unit in which they are counted. */
    public static final int ALIGNMENT_BYTES = 64;

    /** Most blocks, allocated and free ones together, unless told otherwise. */
    public static final int DEFAULT_MAX_BLOCKS = 1 << 20;

    private static final int GRANULE_LOG2 = 6;

    /** Null if the owner has a lock of its own for it. */
    private final @Nullable ReentrantLock lock;

    private final long baseOffset;
    private final long capacityBytes;
    private final BlockHeap heap;

    private final Map<Integer, AllocationSite> sites = new HashMap<>();

    private volatile boolean tracking;

    private long usedBytes;

    /**
     * An allocator with the default bound on the number of blocks.
     *
     * @param baseOffset of the first byte of the range, a multiple of 64
     * @param sizeBytes of the range, at least 64 and below 128 GiB; bytes at its end that do not
     *     fill 64 are not used
     */
    public PoolAllocator(long baseOffset, long sizeBytes) {
        this(baseOffset, sizeBytes, DEFAULT_MAX_BLOCKS);
    }

    /**
     * An allocator over a range.
     *
     * @param baseOffset of the first byte of the range, a multiple of 64
     * @param sizeBytes of the range, at least 64 and below 128 GiB; a part of a granule at its end
     *     is not used
     * @param maxBlocks most blocks, allocated and free ones together; beyond, there is no memory
     */
    public PoolAllocator(long baseOffset, long sizeBytes, int maxBlocks) {
        this(baseOffset, sizeBytes, maxBlocks, new ReentrantLock());
    }

    private PoolAllocator(
            long baseOffset, long sizeBytes, int maxBlocks, @Nullable ReentrantLock lock) {
        long granules = sizeBytes >>> GRANULE_LOG2;
        if (baseOffset < 0 || baseOffset % ALIGNMENT_BYTES != 0) {
            throw new IllegalArgumentException("a pool at unaligned offset " + baseOffset);
        }
        if (sizeBytes < ALIGNMENT_BYTES || granules > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a pool of " + sizeBytes + " bytes");
        }
        if (maxBlocks < 1) {
            throw new IllegalArgumentException("a pool of at most " + maxBlocks + " blocks");
        }
        this.lock = lock;
        this.baseOffset = baseOffset;
        this.capacityBytes = granules << GRANULE_LOG2;
        this.heap = new BlockHeap((int) granules, maxBlocks);
        // Gives the map its table: a map whose first put finds no memory for it loses entries.
        sites.put(NONE, AllocationSite.UNKNOWN);
        sites.remove(NONE);
    }

    /**
     * An allocator without a lock of its own. In each call the caller must hold the owner's lock.
     *
     * @param baseOffset of the first byte to give out, a multiple of 64
     * @param sizeBytes of the range, at least 64 and below 128 GiB
     * @return the allocator
     */
    public static PoolAllocator guardedByOwner(long baseOffset, long sizeBytes) {
        return new PoolAllocator(baseOffset, sizeBytes, DEFAULT_MAX_BLOCKS, null);
    }

    private void lock() {
        if (lock != null) {
            lock.lock();
        }
    }

    private void unlock() {
        if (lock != null) {
            lock.unlock();
        }
    }

    /**
     * Allocates a block. Its content is whatever was there.
     *
     * @param sizeBytes wanted; 0 gives a block that holds nothing and can be freed
     * @return its offset, a multiple of 64, or {@link #NO_MEMORY}, for a negative size too
     */
    public long allocate(long sizeBytes) {
        AllocationSite site = tracking ? AllocationSite.here() : AllocationSite.UNKNOWN;
        lock();
        try {
            int block = take(sizeBytes);
            if (block == NONE) {
                return NO_MEMORY;
            }
            if (tracking) {
                track(block, site);
            }
            return offsetOf(block);
        } finally {
            unlock();
        }
    }

    private void track(int block, AllocationSite site) {
        try {
            sites.put(block, site);
        } catch (OutOfMemoryError e) {
            // The block is allocated all the same; only its place is not known.
        }
    }

    private void forgetSite(int block) {
        try {
            if (!sites.isEmpty()) {
                sites.remove(block);
            }
        } catch (OutOfMemoryError e) {
            // The block is free all the same; the next one there replaces the place.
        }
    }

    private int take(long sizeBytes) {
        if (sizeBytes < 0 || sizeBytes > capacityBytes) {
            return NONE;
        }
        int length = (int) Math.max(1, (sizeBytes + ALIGNMENT_BYTES - 1) >>> GRANULE_LOG2);
        long lengthBytes = (long) length << GRANULE_LOG2;
        int block = heap.take(length, (int) (lengthBytes - sizeBytes));
        if (block != NONE) {
            usedBytes += lengthBytes;
        }
        return block;
    }

    /**
     * Frees a block.
     *
     * @param offset that {@link #allocate} returned
     * @return {@link #FREED}, {@link #NOT_A_BLOCK} or {@link #IN_USE}
     */
    public int free(long offset) {
        lock();
        try {
            int block = startingAt(offset);
            if (block == NONE) {
                return NOT_A_BLOCK;
            }
            if (heap.pinsOf(block) != 0) {
                return IN_USE;
            }
            usedBytes -= sizeOf(block);
            heap.give(block);
            forgetSite(block);
            return FREED;
        } finally {
            unlock();
        }
    }

    /**
     * Marks the block around a range as used by one more operation, so that it cannot be freed.
     *
     * @param offset of the first byte of the range
     * @param lengthBytes of the range
     * @return false, and nothing is pinned, if the range is not inside one allocated block
     */
    public boolean pin(long offset, long lengthBytes) {
        lock();
        try {
            int block = holding(offset, lengthBytes);
            if (block == NONE || heap.pinsOf(block) == Integer.MAX_VALUE) {
                return false;
            }
            heap.pins(block, heap.pinsOf(block) + 1);
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * Removes one pin.
     *
     * @param offset of any byte of the block
     * @return false, and nothing changes, if there is no pinned block
     */
    public boolean unpin(long offset) {
        lock();
        try {
            int block = holding(offset, 0);
            if (block == NONE || heap.pinsOf(block) == 0) {
                return false;
            }
            heap.pins(block, heap.pinsOf(block) - 1);
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * The real length of a block.
     *
     * @param offset that {@link #allocate} returned
     * @return bytes, a multiple of 64; -1 if no allocated block starts there
     */
    public long blockSize(long offset) {
        lock();
        try {
            int block = startingAt(offset);
            return block == NONE ? -1 : sizeOf(block);
        } finally {
            unlock();
        }
    }

    private int startingAt(long offset) {
        long distance = offset - baseOffset;
        if (distance < 0 || distance >= capacityBytes || distance % ALIGNMENT_BYTES != 0) {
            return NONE;
        }
        return heap.startingAt((int) (distance >>> GRANULE_LOG2));
    }

    private int holding(long offset, long lengthBytes) {
        long distance = offset - baseOffset;
        if (offset < baseOffset || distance >= capacityBytes || lengthBytes < 0) {
            return NONE;
        }
        int block = heap.covering((int) (distance >>> GRANULE_LOG2));
        if (block == NONE) {
            return NONE;
        }
        long endDistance = (long) heap.endOf(block) << GRANULE_LOG2;
        return lengthBytes <= endDistance - distance ? block : NONE;
    }

    private long sizeOf(int block) {
        return (long) heap.lengthOf(block) << GRANULE_LOG2;
    }

    private long offsetOf(int block) {
        return baseOffset + ((long) heap.startOf(block) << GRANULE_LOG2);
    }

    /**
     * Turns recording of allocation sites on or off. It costs microseconds and garbage for each
     * allocation; for finding leaks.
     *
     * @param on whether to record; switching it off drops the records
     */
    public void trackAllocations(boolean on) {
        lock();
        try {
            tracking = on;
            if (!on) {
                sites.clear();
            }
        } finally {
            unlock();
        }
    }

    /**
     * All blocks that are allocated now, in order of offset. Visits every block: not for the hot
     * path.
     *
     * @return the blocks, with the place of allocation where it was tracked
     */
    public List<Leak> leaks() {
        List<Leak> leaks = new ArrayList<>();
        lock();
        try {
            for (int block = heap.first(); block != NONE; block = heap.next(block)) {
                if (!heap.isFree(block)) {
                    AllocationSite site = sites.getOrDefault(block, AllocationSite.UNKNOWN);
                    leaks.add(
                            new Leak(
                                    offsetOf(block),
                                    sizeOf(block) - heap.slackBytesOf(block),
                                    heap.pinsOf(block),
                                    site.threadName(),
                                    site.stackText()));
                }
            }
        } finally {
            unlock();
        }
        return leaks;
    }

    /**
     * Where the range starts.
     *
     * @return offset of the first byte
     */
    public long baseOffset() {
        return baseOffset;
    }

    /**
     * The length of the range.
     *
     * @return bytes, a multiple of 64
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * The bytes in allocated blocks; allocates nothing.
     *
     * @return bytes, rounding included
     */
    public long usedBytes() {
        lock();
        long value = usedBytes;
        unlock();
        return value;
    }

    /**
     * The bytes in no allocated block; allocates nothing.
     *
     * @return bytes, perhaps in many pieces
     */
    public long freeBytes() {
        lock();
        long value = capacityBytes - usedBytes;
        unlock();
        return value;
    }
}
