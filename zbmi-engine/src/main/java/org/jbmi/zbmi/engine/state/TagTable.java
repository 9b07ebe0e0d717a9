package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one client by tag: open addressing with linear probing, at most half full. An empty
 * queue leaves the table and is reused. Each client has a table, so many tags of one client cost
 * the other clients nothing. The hash has a secret, so a client cannot choose tags that collide.
 */
public final class TagTable {
    private static final int INITIAL_SIZE = 16;

    private final ClientSession client;
    private final SecretHash hash = new SecretHash();
    private @Nullable TagQueue[] table = new TagQueue[INITIAL_SIZE];
    private final IntrusiveQueue<TagQueue> unused = new IntrusiveQueue<>();

    /** All that are in the table, the youngest first. */
    public final IntrusiveList<TagQueue> inUse = new IntrusiveList<>();

    public TagTable(ClientSession client) {
        this.client = client;
    }

    /** The queues of a tag, new ones if there are none. */
    public TagQueue get(int tag) {
        TagQueue found = find(tag);
        return found == null ? insert(tag) : found;
    }

    /** The queues of a tag, or null if there are none. */
    public @Nullable TagQueue find(int tag) {
        int index = home(tag);
        for (TagQueue at = table[index]; at != null; at = table[index]) {
            if (at.tag == tag) {
                return at;
            }
            index = (index + 1) & (table.length - 1);
        }
        return null;
    }

    public void removeIfEmpty(TagQueue queue) {
        if (!queue.isListed() || !queue.isEmpty()) {
            return;
        }
        int index = home(queue.tag);
        while (table[index] != queue) {
            index = (index + 1) & (table.length - 1);
        }
        closeGap(index);
        inUse.remove(queue);
        unused.addFirst(queue);
    }

    private TagQueue insert(int tag) {
        if (2 * (inUse.size() + 1) > table.length) {
            grow();
        }
        TagQueue fresh = unused.poll();
        if (fresh == null) {
            fresh = new TagQueue(client);
        }
        fresh.tag = tag;
        inUse.addFirst(fresh);
        place(fresh);
        return fresh;
    }

    private void grow() {
        table = new TagQueue[table.length * 2];
        for (TagQueue queue = inUse.first(); queue != null; queue = inUse.next(queue)) {
            place(queue);
        }
    }

    private void place(TagQueue queue) {
        int index = home(queue.tag);
        while (table[index] != null) {
            index = (index + 1) & (table.length - 1);
        }
        table[index] = queue;
    }

    // Entries behind a gap that could be in its place move up, so that no search stops early.
    private void closeGap(int gap) {
        int mask = table.length - 1;
        int hole = gap;
        int index = (gap + 1) & mask;
        for (TagQueue at = table[index]; at != null; at = table[index]) {
            int distanceFromHome = (index - home(at.tag)) & mask;
            int distanceFromHole = (index - hole) & mask;
            if (distanceFromHome >= distanceFromHole) {
                table[hole] = at;
                hole = index;
            }
            index = (index + 1) & mask;
        }
        table[hole] = null;
    }

    /** The index at which the search for a tag begins. */
    public int home(int tag) {
        return hash.of(tag) & (table.length - 1);
    }
}
