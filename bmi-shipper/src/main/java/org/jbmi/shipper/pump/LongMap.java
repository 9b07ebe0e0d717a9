package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A hash table with keys of type {@code long}, without an object for each key. Grows on demand. Not
 * thread-safe.
 *
 * @param <V> the type of the values
 */
public final class LongMap<V> {
    private static final int FEW = 16;
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private long[] keys = new long[FEW];
    private @Nullable Object[] values = new Object[FEW];
    private int size;

    /** Makes an empty map. */
    public LongMap() {}

    /**
     * How many values there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * Finds a value.
     *
     * @param key its number
     * @return the value, or null
     */
    @SuppressWarnings("unchecked") // only put adds
    public @Nullable V get(long key) {
        return (V) values[find(key)];
    }

    /**
     * Adds a value, or replaces one.
     *
     * @param key its number
     * @param value the value
     */
    public void put(long key, V value) {
        if (2 * (size + 1) > keys.length) {
            grow();
        }
        int at = find(key);
        if (values[at] == null) {
            size++;
        }
        keys[at] = key;
        values[at] = value;
    }

    /**
     * Removes a value.
     *
     * @param key its number
     * @return what was there, or null
     */
    @SuppressWarnings("unchecked") // only put adds
    public @Nullable V remove(long key) {
        int gap = find(key);
        V removed = (V) values[gap];
        if (removed == null) {
            return null;
        }
        size--;
        int at = next(gap);
        while (values[at] != null) {
            int home = home(keys[at]);
            boolean mayMove = gap <= at ? home <= gap || home > at : home <= gap && home > at;
            if (mayMove) {
                keys[gap] = keys[at];
                values[gap] = values[at];
                gap = at;
            }
            at = next(at);
        }
        values[gap] = null;
        return removed;
    }

    /**
     * All values, in no order.
     *
     * @return a copy
     */
    @SuppressWarnings("unchecked") // only put adds
    public List<V> values() {
        List<V> all = new ArrayList<>(size);
        for (Object value : values) {
            if (value != null) {
                all.add((V) value);
            }
        }
        return all;
    }

    /** Where a key is, or where it would go. */
    private int find(long key) {
        int at = home(key);
        while (values[at] != null && keys[at] != key) {
            at = next(at);
        }
        return at;
    }

    private int home(long key) {
        return (int) ((key * MIX) >>> Integer.SIZE) & (keys.length - 1);
    }

    private int next(int at) {
        return (at + 1) & (keys.length - 1);
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[2 * oldKeys.length];
        values = new Object[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }
}
