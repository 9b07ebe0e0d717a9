package org.jbmi.mempool;

import static org.jbmi.mempool.BlockTable.NONE;

import java.util.Arrays;

/**
 * The free blocks of a pool, listed by size class: two-level segregated fit (Masmano, Ripoll,
 * Crespo and Real, 2004). Lengths below 32 granules have a list each; above, each power of two is
 * cut into 32 classes. Two levels of bit maps find the first list that is not empty, so that
 * neither adding, nor removing, nor finding looks at more than a fixed number of blocks. Not
 * thread-safe.
 */
final class FreeLists {
    private static final int CLASSES_LOG2 = 5;
    private static final int CLASSES = 1 << CLASSES_LOG2;
    private static final int ROWS = Integer.SIZE - CLASSES_LOG2;

    /** How many blocks of its own class a request looks at when no larger class has any. */
    private static final int OWN_CLASS_LOOKS = 8;

    private static final int LARGEST_LOOKS = 64;

    private final BlockTable blocks;
    private final int[] heads = new int[ROWS * CLASSES];
    private final int[] classBits = new int[ROWS];
    private int rowBits;

    FreeLists(BlockTable blocks) {
        this.blocks = blocks;
        Arrays.fill(heads, NONE);
    }

    void add(int block) {
        int list = listOf(blocks.length(block));
        int head = heads[list];
        blocks.previousFree(block, NONE);
        blocks.nextFree(block, head);
        if (head != NONE) {
            blocks.previousFree(head, block);
        }
        heads[list] = block;
        classBits[list >>> CLASSES_LOG2] |= 1 << (list & (CLASSES - 1));
        rowBits |= 1 << (list >>> CLASSES_LOG2);
    }

    void remove(int block) {
        int previous = blocks.previousFree(block);
        int next = blocks.nextFree(block);
        if (next != NONE) {
            blocks.previousFree(next, previous);
        }
        if (previous != NONE) {
            blocks.nextFree(previous, next);
            return;
        }
        int list = listOf(blocks.length(block));
        heads[list] = next;
        if (next == NONE) {
            clear(list >>> CLASSES_LOG2, list & (CLASSES - 1));
        }
    }

    private void clear(int row, int sizeClass) {
        classBits[row] &= ~(1 << sizeClass);
        if (classBits[row] == 0) {
            rowBits &= ~(1 << row);
        }
    }

    /** A free block of at least this length, still listed, or {@link BlockTable#NONE}. */
    int find(int granules) {
        int list = firstListOfAtLeast(granules);
        if (list != NONE) {
            return heads[list];
        }
        return findInOwnClass(granules);
    }

    // From the class above, any block will do: no search within a list.
    private int firstListOfAtLeast(int granules) {
        int from = listOf(granules);
        if (granules >= CLASSES) {
            int low = (1 << (log2(granules) - CLASSES_LOG2)) - 1;
            from = (granules & low) == 0 ? from : from + 1;
        }
        if (from == heads.length) {
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

    // The class of the request itself holds blocks that are too short and, perhaps, some that are
    // not: without this look a request for the very last block would fail.
    private int findInOwnClass(int granules) {
        int block = heads[listOf(granules)];
        for (int i = 0; i < OWN_CLASS_LOOKS && block != NONE; i++) {
            if (blocks.length(block) >= granules) {
                return block;
            }
            block = blocks.nextFree(block);
        }
        return NONE;
    }

    /** The longest free block, exact if at most 64 share the highest class, else 3 % short. */
    int largest() {
        if (rowBits == 0) {
            return 0;
        }
        int row = log2(rowBits);
        int largest = 0;
        int block = heads[(row << CLASSES_LOG2) + log2(classBits[row])];
        for (int i = 0; i < LARGEST_LOOKS && block != NONE; i++) {
            largest = Math.max(largest, blocks.length(block));
            block = blocks.nextFree(block);
        }
        return largest;
    }

    private static int listOf(int granules) {
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
