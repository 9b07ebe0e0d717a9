package org.jbmi.mempool.pool;

import static org.jbmi.mempool.pool.BlockTable.NONE;

import java.util.Arrays;

/**
 * The free blocks of a pool by size class: two-level segregated fit (Masmano, Ripoll, Crespo and
 * Real, 2004). Lengths below 32 granules have a class each; above, each power of two is cut into 32
 * classes. Two levels of bit maps find the first class that is not empty.
 *
 * <p>A class keeps its blocks ordered by length, see {@link FreeTree}. So a search always finds a
 * block that fits, also in the request's own class, which has shorter blocks too. Adding, removing
 * and finding take logarithmic time in the blocks of one class, which are few. Not thread-safe.
 */
final class FreeLists {
    private static final int CLASSES_LOG2 = 5;
    private static final int CLASSES = 1 << CLASSES_LOG2;
    private static final int ROWS = Integer.SIZE - CLASSES_LOG2;

    private final BlockTable blocks;
    private final FreeTree trees;
    private final int[] roots = new int[ROWS * CLASSES];
    private final int[] classBits = new int[ROWS];
    private int rowBits;

    FreeLists(BlockTable blocks) {
        this.blocks = blocks;
        this.trees = new FreeTree(blocks);
        Arrays.fill(roots, NONE);
    }

    void add(int block) {
        int index = classOf(blocks.length(block));
        roots[index] = trees.add(roots[index], block);
        classBits[index >>> CLASSES_LOG2] |= 1 << (index & (CLASSES - 1));
        rowBits |= 1 << (index >>> CLASSES_LOG2);
    }

    void remove(int block) {
        int index = classOf(blocks.length(block));
        int root = trees.remove(roots[index], block);
        roots[index] = root;
        if (root == NONE) {
            clear(index >>> CLASSES_LOG2, index & (CLASSES - 1));
        }
    }

    private void clear(int row, int sizeClass) {
        classBits[row] &= ~(1 << sizeClass);
        if (classBits[row] == 0) {
            rowBits &= ~(1 << row);
        }
    }

    /**
     * A free block of at least this length, still listed; {@link BlockTable#NONE} if there is none.
     */
    int find(int granules) {
        int index = firstClassOfAtLeast(granules);
        // Of a class above the request's own any block will do. Its own also holds shorter ones.
        return index == NONE ? trees.atLeast(roots[classOf(granules)], granules) : roots[index];
    }

    private int firstClassOfAtLeast(int granules) {
        int from = classOf(granules);
        if (granules >= CLASSES) {
            int low = (1 << (log2(granules) - CLASSES_LOG2)) - 1;
            from = (granules & low) == 0 ? from : from + 1;
        }
        if (from == roots.length) {
            return NONE;
        }
        int row = from >>> CLASSES_LOG2;
        int found = classBits[row] & (-1 << (from & (CLASSES - 1)));
        if (found == 0) {
            int rows = rowBits & (-1 << row) & ~(1 << row);
            if (rows == 0) {
                return NONE;
            }
            row = Integer.numberOfTrailingZeros(rows);
            found = classBits[row];
        }
        return (row << CLASSES_LOG2) + Integer.numberOfTrailingZeros(found);
    }

    private static int classOf(int granules) {
        if (granules < CLASSES) {
            return granules;
        }
        int log = log2(granules);
        int row = log - CLASSES_LOG2 + 1;
        int sizeClass = (granules >>> (log - CLASSES_LOG2)) - CLASSES;
        return (row << CLASSES_LOG2) + sizeClass;
    }

    private static int log2(int value) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value);
    }
}
