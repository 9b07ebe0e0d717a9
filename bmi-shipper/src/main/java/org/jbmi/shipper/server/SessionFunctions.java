package org.jbmi.shipper.server;

import java.util.Arrays;

/**
 * What a client means by its indexes of functions: the numbers of a name and of a signature. As
 * large as the highest index that was given. Guarded by the pump's lock.
 */
final class SessionFunctions {
    private static final int FEW = 8;

    /** By index, from 1: the function and its fingerprint. */
    private long[] pairs = {};

    private boolean[] given = {};

    /**
     * Notes what an index stands for.
     *
     * @return false if it stands for something else already
     */
    boolean give(int index, long function, long fingerprint) {
        if (isGiven(index)) {
            return function(index) == function && fingerprint(index) == fingerprint;
        }
        if (index > given.length) {
            int count = Math.max(FEW, Integer.highestOneBit(index) * 2);
            given = Arrays.copyOf(given, count);
            pairs = Arrays.copyOf(pairs, 2 * count);
        }
        given[index - 1] = true;
        pairs[2 * index - 2] = function;
        pairs[2 * index - 1] = fingerprint;
        return true;
    }

    boolean isGiven(int index) {
        return index > 0 && index <= given.length && given[index - 1];
    }

    long function(int index) {
        return pairs[2 * index - 2];
    }

    long fingerprint(int index) {
        return pairs[2 * index - 1];
    }
}
