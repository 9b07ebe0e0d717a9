package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The unmatched operations of a method: for each (peer, tag) one first-in first-out queue of sends
 * and one of receives, found in constant time. Empty entries are reused, so that the table
 * allocates only while the number of keys reaches a new maximum. Not thread-safe: its owner has a
 * lock.
 *
 * <p>Open addressing with linear probing, in an array whose length is a power of two. The array is
 * at most half full. A removal moves later entries of the same run back, so no marks of removed
 * entries are needed.
 */
public final class MatchTable {
    private static final int INITIAL_SLOTS = 64;
    private static final long MIX_FACTOR = 0x9e3779b97f4a7c15L;

    /** Odd and secret, so that a peer cannot choose keys that collide. */
    private final long peerFactor;

    private final long tagFactor;
    private @Nullable Entry[] slots = new Entry[INITIAL_SLOTS];
    private int size;
    private final IntrusiveQueue<Entry> free = new IntrusiveQueue<>();

    /** Makes an empty table with a secret of its own. */
    public MatchTable() {
        this(new SecureRandom().nextLong());
    }

    MatchTable(long secret) {
        SplittableRandom random = new SplittableRandom(secret);
        peerFactor = random.nextLong() | 1;
        tagFactor = random.nextLong() | 1;
    }

    /** The operations of one (peer, tag). */
    public static final class Entry extends LinkedNode {
        private final IntrusiveList<Operation> sends = new IntrusiveList<>();
        private final IntrusiveList<Operation> receives = new IntrusiveList<>();
        private long peer;
        private int tag;
        private int hash;

        private Entry() {}

        /**
         * Sends that wait for a receive.
         *
         * @return the oldest first
         */
        public IntrusiveList<Operation> sends() {
            return sends;
        }

        /**
         * Receives that wait for a message.
         *
         * @return the oldest first
         */
        public IntrusiveList<Operation> receives() {
            return receives;
        }

        /**
         * Whether both queues are empty.
         *
         * @return true if both queues are empty
         */
        public boolean isEmpty() {
            return sends.isEmpty() && receives.isEmpty();
        }

        private boolean is(long otherPeer, int otherTag) {
            return peer == otherPeer && tag == otherTag;
        }
    }

    /**
     * How many keys have an entry.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * The entry of a key.
     *
     * @param peer a number that stands for the peer
     * @param tag any
     * @return the entry, or null if there is none
     */
    public @Nullable Entry find(long peer, int tag) {
        int mask = slots.length - 1;
        for (int i = hash(peer, tag) & mask; ; i = (i + 1) & mask) {
            Entry entry = slots[i];
            if (entry == null || entry.is(peer, tag)) {
                return entry;
            }
        }
    }

    /**
     * The entry of a key, made if there is none. Add an operation to it, or return it with {@link
     * #recycleIfEmpty}.
     *
     * @param peer a number that stands for the peer
     * @param tag any
     * @return the entry; valid until it is recycled
     */
    public Entry findOrAdd(long peer, int tag) {
        int hash = hash(peer, tag);
        int mask = slots.length - 1;
        int i = hash & mask;
        for (; ; i = (i + 1) & mask) {
            Entry entry = slots[i];
            if (entry == null) {
                break;
            }
            if (entry.is(peer, tag)) {
                return entry;
            }
        }
        if (size >= slots.length >> 1) {
            grow(); // before the entry is there: it may run out of memory
            return findOrAdd(peer, tag);
        }
        Entry added = fresh(peer, tag, hash);
        slots[i] = added;
        size++;
        return added;
    }

    /**
     * Removes an entry from the table if it is empty.
     *
     * @param entry an entry of this table
     * @return true if it was empty; it must not be used any more
     */
    public boolean recycleIfEmpty(Entry entry) {
        if (!entry.isEmpty()) {
            return false;
        }
        int mask = slots.length - 1;
        int i = entry.hash & mask;
        while (slots[i] != entry) {
            i = (i + 1) & mask;
        }
        closeGap(i, mask);
        size--;
        free.addFirst(entry);
        return true;
    }

    /**
     * Removes operations, the oldest of each key first. Rarely used: visits all operations, and
     * some more than once. Needs no memory.
     *
     * @param which chooses
     * @param sink gets the chosen ones; must not use this table
     */
    public void drain(Predicate<Operation> which, Consumer<Operation> sink) {
        int i = 0;
        while (i < slots.length) {
            Entry entry = slots[i];
            if (entry != null) {
                entry.sends.drain(which, sink);
                entry.receives.drain(which, sink);
                recycleIfEmpty(entry);
            }
            if (slots[i] == entry) { // otherwise another one has moved here
                i++;
            }
        }
    }

    /** Moves entries behind a removed one back to where a search would still find them. */
    private void closeGap(int removed, int mask) {
        int gap = removed;
        int i = gap;
        while (true) {
            i = (i + 1) & mask;
            Entry entry = slots[i];
            if (entry == null) {
                slots[gap] = null;
                return;
            }
            int home = entry.hash & mask;
            if (((i - home) & mask) >= ((i - gap) & mask)) {
                slots[gap] = entry;
                gap = i;
            }
        }
    }

    private Entry fresh(long peer, int tag, int hash) {
        Entry entry = free.poll();
        if (entry == null) {
            entry = new Entry();
        }
        entry.peer = peer;
        entry.tag = tag;
        entry.hash = hash;
        return entry;
    }

    private void grow() {
        @Nullable Entry[] old = slots;
        slots = new Entry[old.length << 1];
        int mask = slots.length - 1;
        for (Entry entry : old) {
            if (entry != null) {
                int i = entry.hash & mask;
                while (slots[i] != null) {
                    i = (i + 1) & mask;
                }
                slots[i] = entry;
            }
        }
    }

    /**
     * A product with secret odd numbers: chosen keys collide as rarely as random ones. The last
     * steps keep keys at equal distances from lying side by side.
     */
    int hash(long peer, int tag) {
        long mixed = (peer * peerFactor) ^ (tag * tagFactor);
        mixed ^= mixed >>> 32;
        return (int) ((mixed * MIX_FACTOR) >>> 32);
    }
}
