package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A hash table with keys of type {@code long}: open addressing with linear probing and
 * backward-shift deletion, no allocation once it has grown. Not thread-safe: its owner has a lock.
 *
 * @param <V> the type of the values
 */
public final class NumberTable<V> {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] keys = new long[64];
    private @Nullable Object[] values = new Object[64];
    private int size;

    /** Makes an empty table. */
    public NumberTable() {}

    /**
     * How many values there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * Adds a value, or replaces that of the same number.
     *
     * @param key its number
     * @param value the value
     */
    public void put(long key, V value) {
        makeRoom();
        if (place(key, value) == null) {
            size++;
        }
    }

    /**
     * Grows the table, if needed, so that the next {@link #put} allocates nothing. If the JVM has
     * no memory for that, the table stays as it is.
     */
    public void makeRoom() {
        if (2 * size >= keys.length) {
            grow();
        }
    }

    /**
     * Finds a value.
     *
     * @param key its number
     * @return the value, or null
     */
    @SuppressWarnings("unchecked") // only put adds values
    public @Nullable V get(long key) {
        return (V) values[find(key)];
    }

    /**
     * Removes a value.
     *
     * @param key its number
     * @return what was there, or null
     */
    @SuppressWarnings("unchecked") // only put adds values
    public @Nullable V remove(long key) {
        int hole = find(key);
        V removed = (V) values[hole];
        if (removed == null) {
            return null;
        }
        int mask = keys.length - 1;
        int slot = hole;
        while (true) {
            slot = next(slot);
            if (values[slot] == null) {
                break;
            }
            int home = home(keys[slot]);
            // Moves an entry back only if it stays reachable: its home is not behind the hole.
            if (((slot - home) & mask) >= ((slot - hole) & mask)) {
                keys[hole] = keys[slot];
                values[hole] = values[slot];
                hole = slot;
            }
        }
        values[hole] = null;
        size--;
        return removed;
    }

    /**
     * All values, in no order.
     *
     * @return a copy
     */
    @SuppressWarnings("unchecked") // only put adds values
    public List<V> values() {
        List<V> all = new ArrayList<>(size);
        for (Object value : values) {
            if (value != null) {
                all.add((V) value);
            }
        }
        return all;
    }

    /** The index of a key, or the free one where it would be put. */
    private int find(long key) {
        int slot = home(key);
        while (values[slot] != null && keys[slot] != key) {
            slot = next(slot);
        }
        return slot;
    }

    /** Returns the value that the new one replaces; null if there was none. */
    private @Nullable Object place(long key, @Nullable Object value) {
        int slot = find(key);
        Object replaced = values[slot];
        keys[slot] = key;
        values[slot] = value;
        return replaced;
    }

    private int home(long key) {
        return (int) ((key * SPREAD) >>> 32) & (keys.length - 1);
    }

    private int next(int slot) {
        return (slot + 1) & (keys.length - 1);
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        long[] newKeys = new long[oldKeys.length * 2];
        values = new Object[oldKeys.length * 2]; // if this fails, nothing has changed
        keys = newKeys;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                place(oldKeys[i], oldValues[i]);
            }
        }
    }
}
