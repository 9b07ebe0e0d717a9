package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Where a method keeps its unmatched operations: for each (peer, tag) one first-in first-out queue
 * of sends and one of receives, found in constant time however many there are. Entries that became
 * empty are used again, so that nothing is allocated while the number of keys in use does not reach
 * a new height. Not thread-safe: its owner has a lock.
 *
 * <p>Open addressing with linear probing in an array of a power of two that is at most half full; a
 * removal moves later entries of the same run back, so that no marks of removed ones pile up.
 */
public final class MatchTable {
    private static final int INITIAL_SLOTS = 64;
    private static final long MIX_FACTOR = 0x9e3779b97f4a7c15L;

    /** Odd and of this table alone: who chooses peers or tags cannot tell which ones meet. */
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
         * Whether nothing waits here.
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
     * @return the entry, or null if nothing waits under this key
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
     * The entry of a key, made if there is none. Put something into it, or give it back with {@link
     * #recycleIfEmpty}.
     *
     * @param peer a number that stands for the peer
     * @param tag any
     * @return the entry; good until it is recycled
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
        Entry added = fresh(peer, tag, hash);
        slots[i] = added;
        if (++size > slots.length >> 1) {
            grow();
        }
        return added;
    }

    /**
     * Takes an entry out of the table if nothing waits in it any more.
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
     * Takes operations out, the oldest of each key first. For rare occasions: looks at all of them.
     *
     * @param which chooses
     * @param sink gets those that were chosen; must not use this table
     */
    public void drain(Predicate<Operation> which, Consumer<Operation> sink) {
        List<Entry> entries = new ArrayList<>(size);
        for (Entry entry : slots) {
            if (entry != null) {
                entries.add(entry);
            }
        }
        for (Entry entry : entries) {
            entry.sends.drain(which, sink);
            entry.receives.drain(which, sink);
            recycleIfEmpty(entry);
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
     * Products with secret odd numbers: two keys meet as seldom as two random ones, whoever chose
     * them. What follows keeps keys at equal distances from lying side by side.
     */
    int hash(long peer, int tag) {
        long mixed = (peer * peerFactor) ^ (tag * tagFactor);
        mixed ^= mixed >>> 32;
        return (int) ((mixed * MIX_FACTOR) >>> 32);
    }
}
