package org.jbmi.core.peer;

import org.jspecify.annotations.Nullable;

/**
 * A hash table with keys of type {@code long}: open addressing with linear probing and
 * backward-shift deletion, no allocation once it has grown. Not thread-safe: its owner has a lock.
 *
 * @param <V> the values
 */
public final class NumberTable<V> {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] keys = new long[64];
    private @Nullable Object[] values = new Object[64];
    private int size;

    public int size() {
        return size;
    }

    /** Adds a value under a number that has none. */
    public void put(long key, V value) {
        makeRoom();
        place(key, value);
        size++;
    }

    /** Grows the table, if needed, so that the next {@link #put} allocates nothing. */
    public void makeRoom() {
        if (2 * size >= keys.length) {
            grow();
        }
    }

    @SuppressWarnings("unchecked") // only put adds values
    public @Nullable V get(long key) {
        return (V) values[find(key)];
    }

    /** Removes the value of a number; does nothing if there is none. */
    public void remove(long key) {
        int hole = find(key);
        if (values[hole] == null) {
            return;
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
    }

    /** The index of a key, or the free one where it would be put. */
    private int find(long key) {
        int slot = home(key);
        while (values[slot] != null && keys[slot] != key) {
            slot = next(slot);
        }
        return slot;
    }

    private void place(long key, @Nullable Object value) {
        int slot = find(key);
        keys[slot] = key;
        values[slot] = value;
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
