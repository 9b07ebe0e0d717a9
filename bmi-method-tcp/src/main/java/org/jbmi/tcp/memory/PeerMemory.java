package org.jbmi.tcp.memory;

import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.observe.Counter;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Memory that peers fill, with a limit for all and one for each. It grows by chunks on demand, so
 * that an instance which keeps no message has none. A token names a message: the number of its
 * chunk and its offset there. A block is never empty, so no two messages begin at the same address.
 * A quarter of the whole is reserved for peers that hold little, so one peer cannot use up all
 * memory. Many peers together can: their messages stay until the program frees them, also after
 * their connections have ended.
 *
 * <p>The limit is for what messages hold. Small messages may lie so that no chunk has a piece of
 * the right length. Then a message of a quarter of a chunk or more gets a chunk of its own, which
 * lives as long as the message. So the chunks take up to twice the limit. A smaller message waits:
 * each chunk also takes heap, and many with one small message each would fill it.
 *
 * <p>Guarded by its own monitor.
 */
public final class PeerMemory {
    /** Instead of a token: there is no memory now. */
    public static final long NONE = -1;

    private static final long CHUNK_BYTES = 1 << 20;
    private static final int CHUNK_SHIFT = 40;
    private static final long OFFSET_MASK = (1L << CHUNK_SHIFT) - 1;
    private static final int SMALL_SHARE = 16;

    /** A message of this part of a usual chunk, or of more, may have a chunk of its own. */
    private static final int LEAST_EXTRA_PART = 4;

    /**
     * The least block of an early message. It also stands for what tcp keeps of each such message
     * in the heap. So a flood of empty messages does not take several times the limit.
     */
    private static final int LEAST_EARLY_BYTES = 512;

    /** A piece of memory, and the peers that hold its blocks. */
    private static final class Chunk {
        final MemoryPool pool;
        final @Nullable PeerAccount[] holders;

        /** Whether it is for one message, beyond the chunks that stay. */
        final boolean isExtra;

        Chunk(long sizeBytes, boolean isExtra) {
            this.isExtra = isExtra;
            // The pool comes last, since nobody would close it if there were no memory for these.
            holders = new PeerAccount[Math.toIntExact(sizeBytes / PoolAllocator.ALIGNMENT_BYTES)];
            pool = MemoryPool.guardedByOwner(sizeBytes);
        }

        long sizeBytes() {
            return pool.allocator().capacityBytes();
        }
    }

    private final long sizeBytes;
    private final long peerBytes;
    private final int index;
    private final long leastBytes;
    private final Counter heldCounter;
    private @Nullable Chunk[] chunks = new Chunk[8];
    private int lastUsed;

    /** What the chunks that stay take. */
    private long chunkBytes;

    private long heldBytes;
    private boolean closed;

    /**
     * Memory of one kind.
     *
     * @param index {@link PeerAccount#UNEXPECTED} or {@link PeerAccount#EARLY}
     */
    public PeerMemory(long sizeBytes, long peerBytes, int index, Counter heldCounter) {
        this.sizeBytes = usable(sizeBytes);
        this.peerBytes = peerBytes;
        this.index = index;
        this.leastBytes =
                index == PeerAccount.EARLY ? LEAST_EARLY_BYTES : PoolAllocator.ALIGNMENT_BYTES;
        this.heldCounter = heldCounter;
    }

    /** How much of a size can hold messages: it consists of whole blocks. */
    public static long usable(long sizeBytes) {
        return sizeBytes - sizeBytes % PoolAllocator.ALIGNMENT_BYTES;
    }

    /** Allocates memory for a message of a peer; {@link #NONE} if there is none now. */
    public synchronized long allocate(PeerAccount account, long messageBytes) {
        long wanted = Math.max(leastBytes, messageBytes);
        long held = account.heldBytes[index];
        boolean fits = heldBytes + roundUp(wanted) <= sizeBytes;
        if (closed || !fits || !isWithinShare(held, wanted)) {
            return NONE;
        }
        boolean hasMuch = held > sizeBytes / SMALL_SHARE;
        if (hasMuch && sizeBytes - heldBytes - wanted < sizeBytes / 4) {
            return NONE;
        }
        long token = fromChunk(lastUsed, account, wanted);
        for (int i = 0; token < 0 && i < chunks.length; i++) {
            token = fromChunk(i, account, wanted);
        }
        return token >= 0 ? token : fromNewChunk(account, wanted);
    }

    /**
     * Whether a peer may have memory for a message as soon as others free theirs; a hint, since
     * other threads allocate and free.
     */
    public boolean mayHold(PeerAccount account, long messageBytes) {
        long wanted = Math.max(leastBytes, messageBytes);
        return wanted <= sizeBytes && isWithinShare(account.heldBytes[index], wanted);
    }

    /** A peer that holds nothing may have one message beyond its share. */
    private boolean isWithinShare(long held, long wanted) {
        return held == 0 || held + wanted <= peerBytes;
    }

    /** How much more a peer may hold; a hint, since other threads allocate and free. */
    public long roomFor(PeerAccount account) {
        return Math.max(0, Math.min(peerBytes - account.heldBytes[index], sizeBytes - heldBytes));
    }

    private long fromChunk(int number, PeerAccount account, long wanted) {
        Chunk chunk = chunks[number];
        if (chunk == null) {
            return NONE;
        }
        PoolAllocator allocator = chunk.pool.allocator();
        if (allocator.freeBytes() < wanted) {
            return NONE;
        }
        long offset = allocator.allocate(wanted);
        if (offset < 0) {
            return NONE;
        }
        book(account, allocator.blockSize(offset));
        chunk.holders[slot(offset)] = account;
        lastUsed = number;
        return ((long) number << CHUNK_SHIFT) | offset;
    }

    private long fromNewChunk(PeerAccount account, long messageBytes) {
        long wanted = Math.max(roundUp(messageBytes), Math.min(CHUNK_BYTES, sizeBytes));
        if (chunkBytes + wanted > sizeBytes) {
            closeEmptyChunks();
        }
        wanted = Math.min(wanted, sizeBytes - chunkBytes);
        boolean isExtra = wanted < roundUp(messageBytes);
        if (isExtra && messageBytes < Math.min(CHUNK_BYTES, sizeBytes) / LEAST_EXTRA_PART) {
            return NONE;
        }
        int number = 0;
        while (number < chunks.length && chunks[number] != null) {
            number++;
        }
        if (number == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * number);
        }
        chunks[number] = new Chunk(isExtra ? roundUp(messageBytes) : wanted, isExtra);
        chunkBytes += isExtra ? 0 : wanted;
        return fromChunk(number, account, messageBytes);
    }

    private void closeEmptyChunks() {
        for (int i = 0; i < chunks.length; i++) {
            Chunk chunk = chunks[i];
            if (chunk != null && chunk.pool.allocator().usedBytes() == 0 && close(i, chunk)) {
                chunkBytes -= chunk.isExtra ? 0 : chunk.sizeBytes();
            }
        }
    }

    /** Frees memory. */
    public synchronized void free(long token) {
        Chunk chunk = closed ? null : chunkOf(token);
        long offset = token & OFFSET_MASK;
        if (chunk == null || offset >= chunk.sizeBytes()) {
            return;
        }
        PeerAccount account = chunk.holders[slot(offset)];
        if (account != null) {
            chunk.holders[slot(offset)] = null;
            book(account, -chunk.pool.allocator().blockSize(offset));
            chunk.pool.allocator().free(offset);
            if (chunk.isExtra) {
                // At once, since a small message could keep it for itself.
                close((int) (token >> CHUNK_SHIFT), chunk);
            }
        }
    }

    /** Closes an empty chunk; false while a native call of the program uses it. */
    private boolean close(int number, Chunk chunk) {
        try {
            chunk.pool.close(System.nanoTime());
            chunks[number] = null;
            return true;
        } catch (IllegalStateException e) {
            return false; // it is closed later
        }
    }

    /** The segment that holds an allocated message. */
    public synchronized MemorySegment segment(long token) {
        Chunk chunk = chunkOf(token);
        if (chunk == null) {
            throw new IllegalStateException("The message is not kept here.");
        }
        return chunk.pool.segment();
    }

    /** The offset of a message in its segment. */
    public static long offset(long token) {
        return token & OFFSET_MASK;
    }

    private @Nullable Chunk chunkOf(long token) {
        long number = token >> CHUNK_SHIFT;
        return number < 0 || number >= chunks.length ? null : chunks[(int) number];
    }

    /**
     * Frees all, without a wait beyond a deadline.
     *
     * @throws IllegalStateException if a native call holds a chunk; the others are freed
     */
    public synchronized void close(long deadlineNs) {
        if (closed) {
            return;
        }
        closed = true;
        heldCounter.add(-heldBytes);
        IllegalStateException failure = null;
        for (Chunk chunk : chunks) {
            try {
                if (chunk != null) {
                    chunk.pool.close(deadlineNs);
                }
            } catch (IllegalStateException held) {
                failure = held;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void book(PeerAccount account, long bytes) {
        account.heldBytes[index] += bytes;
        heldBytes += bytes;
        heldCounter.add(bytes);
    }

    private static long roundUp(long bytes) {
        long unit = PoolAllocator.ALIGNMENT_BYTES;
        return (bytes + unit - 1) / unit * unit;
    }

    private static int slot(long offset) {
        return (int) (offset / PoolAllocator.ALIGNMENT_BYTES);
    }
}
