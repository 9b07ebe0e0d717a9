package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jspecify.annotations.Nullable;

/**
 * The memory for unexpected messages. It is lent in chunks; the longest message fits into one. A
 * chunk belongs to one client at a time, whose messages get blocks of it one after the other. A
 * chunk is free when its last block is. So small messages of one client cannot fragment the memory
 * that another needs, and allocating and freeing are O(1).
 *
 * <p>All bookkeeping is here, outside of shared memory, so that an offset from a peer can be
 * checked.
 */
public final class UnexpectedRegion {
    /** Blocks begin at multiples of this, counted from the start of the region. */
    public static final int UNIT_BYTES = SegmentGeometry.UNEXPECTED_UNIT_BYTES;

    /** A part of the region that one client has at a time. */
    public static final class Chunk {
        final int index;

        /**
         * The client that has it; null if it is free, or if its client has gone and only blocks are
         * left.
         */
        @Nullable UnexpectedStream owner;

        /** Bytes that were given to blocks so far. */
        int used;

        /** Blocks in it that are not free. */
        int live;

        Chunk(int index) {
            this.index = index;
        }
    }

    private final long offset;
    private final int chunkBytes;
    private final Chunk[] chunks;
    private final int[] freeChunks;
    private int freeCount;
    private final @Nullable UnexpectedBlock[] blocks;
    private final IntrusiveQueue<UnexpectedBlock> unused = new IntrusiveQueue<>();
    private int liveBlocks;

    public UnexpectedRegion(EngineLimits limits) {
        this.offset = limits.unexpectedOffset();
        this.chunkBytes = roundUp(limits.maxUnexpectedBytes());
        int count = (int) Math.max(1, limits.unexpectedBytes() / chunkBytes);
        this.chunks = new Chunk[count];
        this.freeChunks = new int[count];
        for (int i = 0; i < count; i++) {
            chunks[i] = new Chunk(i);
            freeChunks[i] = count - 1 - i;
        }
        this.freeCount = count;
        this.blocks = new UnexpectedBlock[(int) ((long) count * chunkBytes / UNIT_BYTES)];
    }

    public int chunkCount() {
        return chunks.length;
    }

    public boolean hasFreeChunk() {
        return freeCount > 0;
    }

    public int freeChunks() {
        return freeCount;
    }

    public int liveBlocks() {
        return liveBlocks;
    }

    /**
     * Whether a client may take one more free chunk. It may if it has none. Otherwise it may if it
     * then has at most half of all chunks that are free or its own. So some memory is left after a
     * flood.
     */
    public boolean mayTakeChunk(UnexpectedStream stream) {
        int held = stream.heldChunks;
        return freeCount > 0 && (held == 0 || 2 * (held + 1) <= freeCount + held);
    }

    /**
     * Allocates a block.
     *
     * @param mayTakeChunk whether a free chunk may be used if the client's own is full
     * @return null if there is no memory for this client
     */
    public @Nullable UnexpectedBlock take(
            UnexpectedStream stream, long bytes, boolean mayTakeChunk) {
        int length = roundUp(bytes);
        Chunk chunk = stream.currentChunk;
        if (chunk == null || chunkBytes - chunk.used < length) {
            if (!mayTakeChunk || !mayTakeChunk(stream)) {
                return null;
            }
            chunk = chunks[freeChunks[--freeCount]];
            chunk.owner = stream;
            stream.currentChunk = chunk;
            stream.heldChunks++;
        }
        return cut(chunk, length, bytes);
    }

    private UnexpectedBlock cut(Chunk chunk, int length, long bytes) {
        UnexpectedBlock block = unused.poll();
        if (block == null) {
            block = new UnexpectedBlock();
        }
        block.chunk = chunk;
        block.offset = offset + (long) chunk.index * chunkBytes + chunk.used;
        block.bytes = bytes;
        chunk.used += length;
        chunk.live++;
        liveBlocks++;
        blocks[unit(block.offset)] = block;
        return block;
    }

    /** The block that begins at an offset, which is not trusted; null if there is none. */
    public @Nullable UnexpectedBlock find(long at) {
        long distance = at - offset;
        boolean possible =
                distance >= 0
                        && distance % UNIT_BYTES == 0
                        && distance / UNIT_BYTES < blocks.length;
        return possible ? blocks[unit(at)] : null;
    }

    public void release(UnexpectedBlock block) {
        Chunk chunk = block.chunk;
        if (chunk == null || block.state == UnexpectedBlock.State.FREE) {
            throw new IllegalStateException("a block was released twice");
        }
        blocks[unit(block.offset)] = null;
        block.state = UnexpectedBlock.State.FREE;
        block.chunk = null;
        unused.addFirst(block);
        liveBlocks--;
        if (--chunk.live == 0) {
            disown(chunk);
            chunk.used = 0;
            freeChunks[freeCount++] = chunk.index;
        }
    }

    /**
     * Releases the chunks of a client that has gone, so that the next client of its session starts
     * anew.
     */
    public void forget(UnexpectedStream stream) {
        for (Chunk chunk : chunks) {
            if (chunk.owner == stream) {
                disown(chunk);
            }
        }
    }

    private static void disown(Chunk chunk) {
        UnexpectedStream owner = chunk.owner;
        if (owner != null) {
            owner.heldChunks--;
            if (owner.currentChunk == chunk) {
                owner.currentChunk = null;
            }
            chunk.owner = null;
        }
    }

    private int unit(long at) {
        return (int) ((at - offset) / UNIT_BYTES);
    }

    private static int roundUp(long bytes) {
        long atLeast = Math.max(bytes, UNIT_BYTES);
        return (int) ((atLeast + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES);
    }
}
