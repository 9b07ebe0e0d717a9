package org.jbmi.mempool.pool;

import static org.jbmi.mempool.pool.BlockTable.NONE;

/**
 * Free blocks in order of length; blocks of one length are in order of their records. It is a treap
 * (Seidel and Aragon, 1996). Its links are those of the records, and its priorities are hashes of
 * the records' numbers. Its depth is a small multiple of the logarithm of its size, with a
 * negligible chance of more. The caller keeps the roots; not thread-safe.
 */
final class FreeTree {
    private static final int LOWER = 0;
    private static final int UPPER = 1;

    private final BlockTable blocks;
    private int root;

    FreeTree(BlockTable blocks) {
        this.blocks = blocks;
    }

    /** Adds a block that is in no tree; returns the new root. */
    int add(int oldRoot, int block) {
        root = oldRoot;
        int parent = NONE;
        int side = LOWER;
        int at = oldRoot;
        while (at != NONE && priority(at) >= priority(block)) {
            parent = at;
            side = sideOf(block, at);
            at = child(at, side);
        }
        link(parent, side, block);
        split(at, block);
        return root;
    }

    // Makes the part of the subtree that is in front of the block in the order its lower child, and
    // the rest its upper child.
    private void split(int subtree, int block) {
        int shorter = block;
        int shorterSide = LOWER;
        int longer = block;
        int longerSide = UPPER;
        int at = subtree;
        while (at != NONE) {
            if (sideOf(block, at) == LOWER) {
                child(longer, longerSide, at);
                longer = at;
                longerSide = LOWER;
                at = child(at, LOWER);
            } else {
                child(shorter, shorterSide, at);
                shorter = at;
                shorterSide = UPPER;
                at = child(at, UPPER);
            }
        }
        child(shorter, shorterSide, NONE);
        child(longer, longerSide, NONE);
    }

    /** Removes a block that is in the tree; returns the new root. */
    int remove(int oldRoot, int block) {
        root = oldRoot;
        int parent = NONE;
        int side = LOWER;
        int at = oldRoot;
        while (at != block) {
            parent = at;
            side = sideOf(block, at);
            at = child(at, side);
        }
        int lower = child(block, LOWER);
        int upper = child(block, UPPER);
        while (lower != NONE && upper != NONE) {
            boolean isLower = priority(lower) >= priority(upper);
            int next = isLower ? lower : upper;
            link(parent, side, next);
            parent = next;
            side = isLower ? UPPER : LOWER;
            lower = isLower ? child(next, UPPER) : lower;
            upper = isLower ? upper : child(next, LOWER);
        }
        link(parent, side, lower == NONE ? upper : lower);
        return root;
    }

    /** The shortest block of at least a length, or {@link BlockTable#NONE}. */
    int atLeast(int ofRoot, int granules) {
        int best = NONE;
        int at = ofRoot;
        while (at != NONE) {
            boolean fits = blocks.length(at) >= granules;
            best = fits ? at : best;
            at = child(at, fits ? LOWER : UPPER);
        }
        return best;
    }

    private int sideOf(int block, int other) {
        int difference = Integer.compare(blocks.length(block), blocks.length(other));
        return (difference == 0 ? Integer.compare(block, other) : difference) < 0 ? LOWER : UPPER;
    }

    private void link(int parent, int side, int block) {
        if (parent == NONE) {
            root = block;
        } else {
            child(parent, side, block);
        }
    }

    private int child(int block, int side) {
        return side == LOWER ? blocks.lowerFree(block) : blocks.upperFree(block);
    }

    private void child(int block, int side, int other) {
        if (side == LOWER) {
            blocks.lowerFree(block, other);
        } else {
            blocks.upperFree(block, other);
        }
    }

    private static int priority(int block) {
        int mixed = block * 0x9E3779B9;
        mixed = (mixed ^ (mixed >>> 15)) * 0x85EBCA6B;
        return mixed ^ (mixed >>> 13);
    }
}
