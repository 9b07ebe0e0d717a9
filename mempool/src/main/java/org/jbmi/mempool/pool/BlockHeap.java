package org.jbmi.mempool.pool;

import static org.jbmi.mempool.pool.BlockTable.FREE;
import static org.jbmi.mempool.pool.BlockTable.NONE;

/**
 * Divides a range of granules into blocks: allocates, splits, frees, joins. The arithmetic of
 * {@link PoolAllocator}, without its lock. Blocks are named by their records. Not thread-safe.
 */
final class BlockHeap {
    private final BlockTable blocks;
    private final FreeLists free;
    private final StartIndex starts;
    private final int first;

    /** The allocated block that was found last, and where it ends: programs use one repeatedly. */
    private int found = NONE;

    private int foundStart;
    private int foundEnd;

    BlockHeap(int granules, int maxBlocks) {
        this.blocks = new BlockTable(maxBlocks);
        this.free = new FreeLists(blocks);
        this.starts = new StartIndex(granules);
        this.first = blocks.acquire();
        blocks.start(first, 0);
        blocks.length(first, granules);
        blocks.before(first, NONE);
        blocks.after(first, NONE);
        blocks.state(first, FREE);
        free.add(first);
    }

    /** Allocates a block of exactly this length, or {@link BlockTable#NONE}. */
    int take(int length, int slackBytes) {
        int block = free.find(length);
        if (block == NONE) {
            return NONE;
        }
        // Everything that can fail comes before the first change.
        starts.prepare(blocks.start(block));
        if (blocks.length(block) > length) {
            int rest = blocks.acquire();
            if (rest == NONE) {
                return NONE;
            }
            free.remove(block);
            split(block, length, rest);
        } else {
            free.remove(block);
        }
        blocks.state(block, 0);
        blocks.slackBytes(block, slackBytes);
        starts.put(blocks.start(block), block);
        return block;
    }

    private void split(int block, int length, int rest) {
        int after = blocks.after(block);
        blocks.start(rest, blocks.start(block) + length);
        blocks.length(rest, blocks.length(block) - length);
        blocks.before(rest, block);
        blocks.after(rest, after);
        blocks.state(rest, FREE);
        if (after != NONE) {
            blocks.before(after, rest);
        }
        blocks.after(block, rest);
        blocks.length(block, length);
        free.add(rest);
    }

    /** Frees a block and joins it with free neighbours. */
    void give(int block) {
        found = NONE;
        starts.remove(blocks.start(block));
        blocks.state(block, FREE);
        int after = blocks.after(block);
        if (after != NONE && blocks.state(after) == FREE) {
            free.remove(after);
            join(block, after);
        }
        int before = blocks.before(block);
        if (before != NONE && blocks.state(before) == FREE) {
            free.remove(before);
            join(before, block);
            free.add(before);
        } else {
            free.add(block);
        }
    }

    private void join(int block, int next) {
        int after = blocks.after(next);
        blocks.length(block, blocks.length(block) + blocks.length(next));
        blocks.after(block, after);
        if (after != NONE) {
            blocks.before(after, block);
        }
        blocks.release(next);
    }

    /** The allocated block that starts at a granule, or {@link BlockTable#NONE}. */
    int startingAt(int granule) {
        return starts.at(granule);
    }

    /** The allocated block that covers a granule, or {@link BlockTable#NONE}. */
    int covering(int granule) {
        if (found != NONE && granule >= foundStart && granule < foundEnd) {
            return found;
        }
        int block = starts.atOrBefore(granule);
        if (block == NONE || granule >= endOf(block)) {
            return NONE;
        }
        found = block;
        foundStart = startOf(block);
        foundEnd = endOf(block);
        return block;
    }

    int startOf(int block) {
        return blocks.start(block);
    }

    int lengthOf(int block) {
        return blocks.length(block);
    }

    int endOf(int block) {
        return blocks.start(block) + blocks.length(block);
    }

    int slackBytesOf(int block) {
        return blocks.slackBytes(block);
    }

    int pinsOf(int block) {
        return blocks.state(block);
    }

    void pins(int block, int pins) {
        blocks.state(block, pins);
    }

    boolean isFree(int block) {
        return blocks.state(block) == FREE;
    }

    /** The block after this in the pool, free or not; {@link BlockTable#NONE} after the last. */
    int next(int block) {
        return blocks.after(block);
    }

    /** The block at the start of the pool, free or not: joins never remove its record. */
    int first() {
        return first;
    }
}
