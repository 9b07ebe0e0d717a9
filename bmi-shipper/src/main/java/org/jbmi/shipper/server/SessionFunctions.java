package org.jbmi.shipper.server;

import java.util.Arrays;

/**
 * The functions by a client's indexes: the numbers of name and signature. As large as the highest
 * index. Guarded by the pump's lock.
 */
final class SessionFunctions {
    private static final int FEW = 8;

    /** By index, from 1: the function and its fingerprint. */
    private long[] pairs = {};

    private boolean[] given = {};

    /** Stores the function of an index; false if the index has another function already. */
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
