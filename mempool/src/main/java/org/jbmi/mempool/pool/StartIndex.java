package org.jbmi.mempool.pool;

/**
 * Finds the allocated block that starts at a granule, and the nearest one that starts at or before
 * it, both in constant time. Not thread-safe.
 *
 * <p>Blocks stand in pages of 256 granules. A page is made when the first block starts in it, and
 * is then kept. So the memory is at most 1/16 of the part of the pool that was ever used. A tree of
 * bits with 64 children a node and at most six levels finds the nearest start by reading two words
 * a level.
 */
final class StartIndex {
    private static final int PAGE_LOG2 = 8;
    private static final int WORD_LOG2 = 6;
    private static final int WORD_MASK = 63;

    private final int[][] pages;
    private final long[][] levels;

    StartIndex(int granules) {
        this.pages = new int[((granules - 1) >>> PAGE_LOG2) + 1][];
        int count = 0;
        int words = granules;
        do {
            words = ((words - 1) >>> WORD_LOG2) + 1;
            count++;
        } while (words > 1);
        this.levels = new long[count][];
        words = granules;
        for (int i = 0; i < count; i++) {
            words = ((words - 1) >>> WORD_LOG2) + 1;
            levels[i] = new long[words];
        }
    }

    /** Makes sure that {@link #put} at this granule cannot run out of heap. */
    void prepare(int granule) {
        int page = granule >>> PAGE_LOG2;
        if (pages[page] == null) {
            pages[page] = new int[1 << PAGE_LOG2];
        }
    }

    void put(int granule, int block) {
        pages[granule >>> PAGE_LOG2][granule & ((1 << PAGE_LOG2) - 1)] = block + 1;
        int at = granule;
        for (long[] level : levels) {
            long word = level[at >>> WORD_LOG2];
            level[at >>> WORD_LOG2] = word | 1L << (at & WORD_MASK);
            if (word != 0) {
                return;
            }
            at >>>= WORD_LOG2;
        }
    }

    void remove(int granule) {
        pages[granule >>> PAGE_LOG2][granule & ((1 << PAGE_LOG2) - 1)] = 0;
        int at = granule;
        for (long[] level : levels) {
            long word = level[at >>> WORD_LOG2] & ~(1L << (at & WORD_MASK));
            level[at >>> WORD_LOG2] = word;
            if (word != 0) {
                return;
            }
            at >>>= WORD_LOG2;
        }
    }

    /** The allocated block that starts exactly here, or {@link BlockTable#NONE}. */
    int at(int granule) {
        int[] page = pages[granule >>> PAGE_LOG2];
        return page == null ? BlockTable.NONE : page[granule & ((1 << PAGE_LOG2) - 1)] - 1;
    }

    /** The last allocated block that starts here or before, or {@link BlockTable#NONE}. */
    int atOrBefore(int granule) {
        int at = granule;
        long mask = -1L >>> (WORD_MASK - (at & WORD_MASK));
        for (int i = 0; i < levels.length; i++) {
            long word = levels[i][at >>> WORD_LOG2] & mask;
            if (word != 0) {
                return at(descend(i, (at & ~WORD_MASK) + highestBit(word)));
            }
            at >>>= WORD_LOG2;
            mask = (1L << (at & WORD_MASK)) - 1;
        }
        return BlockTable.NONE;
    }

    private int descend(int fromLevel, int node) {
        int at = node;
        for (int i = fromLevel - 1; i >= 0; i--) {
            at = (at << WORD_LOG2) + highestBit(levels[i][at]);
        }
        return at;
    }

    private static int highestBit(long word) {
        return WORD_MASK - Long.numberOfLeadingZeros(word);
    }
}
