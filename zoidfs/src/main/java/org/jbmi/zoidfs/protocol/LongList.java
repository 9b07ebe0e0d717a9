package org.jbmi.zoidfs.protocol;

import java.util.Arrays;

/** An immutable list of words of 64 bits: sizes and offsets of regions. */
public final class LongList {
    /** No entries. */
    public static final LongList EMPTY = new LongList(new long[0]);

    private final long[] values;

    private LongList(long[] values) {
        this.values = values;
    }

    /** A list of these values. */
    public static LongList of(long... values) {
        return new LongList(values.clone());
    }

    /** A list of an array, without a copy: the caller must not change the array afterwards. */
    static LongList taking(long[] values) {
        return new LongList(values);
    }

    /** How many there are. */
    public int size() {
        return values.length;
    }

    /** The entry at an index. */
    public long get(int index) {
        return values[index];
    }

    /** The sum, or -1 if an entry is above 2^63 - 1 or the sum is. */
    public long sum() {
        long sum = 0;
        for (long value : values) {
            sum += value;
            if (value < 0 || sum < 0) {
                return -1;
            }
        }
        return sum;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LongList list && Arrays.equals(values, list.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
