package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/**
 * The memory for unexpected messages. It is lent in chunks, each long enough for the longest
 * message, and each to one client at a time, who cuts its messages off one after the other; a chunk
 * comes back when the last block in it does. So one client's small messages cannot break up the
 * memory that another one needs, and taking and giving back are O(1).
 *
 * <p>All bookkeeping is here, outside of the shared memory: which block begins where is known by
 * its number, so that an offset that comes from elsewhere can be checked.
 */
final class UnexpectedRegion {
    /** Blocks begin at multiples of this, counted from the start of the region. */
    static final int UNIT_BYTES = 64;

    /** A part of the region that one client has at a time. */
    static final class Chunk {
        final int index;

        /** Who has it; null if it is free, or if its client is gone and only blocks are left. */
        @Nullable UnexpectedStream owner;

        /** Bytes cut off so far. */
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
    private @Nullable UnexpectedBlock firstUnused;
    private int liveBlocks;

    UnexpectedRegion(EngineLimits limits) {
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

    int chunkCount() {
        return chunks.length;
    }

    boolean hasFreeChunk() {
        return freeCount > 0;
    }

    int freeChunks() {
        return freeCount;
    }

    int liveBlocks() {
        return liveBlocks;
    }

    /**
     * Whether a client may have one more of the free chunks: it holds nothing yet, or with it no
     * more than half of what is free or its own. So what is left after a flood is never nothing.
     */
    boolean mayTakeChunk(UnexpectedStream stream) {
        int held = stream.heldChunks;
        return freeCount > 0 && (held == 0 || 2 * (held + 1) <= freeCount + held);
    }

    /**
     * Cuts a block off.
     *
     * @param mayTakeChunk whether a free chunk may be used if the client's own is full
     * @return null if there is no memory for this client
     */
    @Nullable UnexpectedBlock take(UnexpectedStream stream, long bytes, boolean mayTakeChunk) {
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
        UnexpectedBlock block = firstUnused;
        if (block == null) {
            block = new UnexpectedBlock();
        } else {
            firstUnused = block.next;
            block.next = null;
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

    /** The block that begins at an offset from wherever, or null. */
    @Nullable UnexpectedBlock find(long at) {
        long distance = at - offset;
        boolean possible =
                distance >= 0
                        && distance % UNIT_BYTES == 0
                        && distance / UNIT_BYTES < blocks.length;
        return possible ? blocks[unit(at)] : null;
    }

    void release(UnexpectedBlock block) {
        Chunk chunk = block.chunk;
        if (chunk == null || block.state == UnexpectedBlock.State.FREE) {
            throw new IllegalStateException("a block was released twice");
        }
        blocks[unit(block.offset)] = null;
        block.state = UnexpectedBlock.State.FREE;
        block.chunk = null;
        block.next = firstUnused;
        firstUnused = block;
        liveBlocks--;
        if (--chunk.live == 0) {
            disown(chunk);
            chunk.used = 0;
            freeChunks[freeCount++] = chunk.index;
        }
    }

    /**
     * Lets the chunks of a client that is gone belong to nobody, so that its successor starts anew.
     */
    void forget(UnexpectedStream stream) {
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
