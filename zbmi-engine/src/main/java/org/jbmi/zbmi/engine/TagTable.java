package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/**
 * The queues of one client by tag: open addressing with linear probing, at most half full. An empty
 * queue leaves the table and is reused. Each client has a table, so many tags cost the other
 * clients nothing, and a hash with a secret, so a client cannot choose tags that collide.
 */
final class TagTable {
    private static final int INITIAL_SIZE = 16;

    private final ClientSession client;
    private final SecretHash hash = new SecretHash();
    private @Nullable TagQueue[] table = new TagQueue[INITIAL_SIZE];
    private int size;
    private @Nullable TagQueue firstInUse;
    private @Nullable TagQueue firstUnused;

    TagTable(ClientSession client) {
        this.client = client;
    }

    /** Any of the queues, or null if there is none; its {@code next} leads to the others. */
    @Nullable TagQueue first() {
        return firstInUse;
    }

    /** The queues of a tag, new ones if there are none. */
    TagQueue get(int tag) {
        TagQueue found = find(tag);
        return found == null ? insert(tag) : found;
    }

    /** The queues of a tag, or null if there are none. */
    @Nullable TagQueue find(int tag) {
        int index = home(tag);
        for (TagQueue at = table[index]; at != null; at = table[index]) {
            if (at.tag == tag) {
                return at;
            }
            index = (index + 1) & (table.length - 1);
        }
        return null;
    }

    void removeIfEmpty(TagQueue queue) {
        if (!queue.inTable || !queue.isEmpty()) {
            return;
        }
        int index = home(queue.tag);
        while (table[index] != queue) {
            index = (index + 1) & (table.length - 1);
        }
        closeGap(index);
        queue.inTable = false;
        size--;
        unlink(queue);
        queue.next = firstUnused;
        firstUnused = queue;
    }

    private TagQueue insert(int tag) {
        if (2 * (size + 1) > table.length) {
            grow();
        }
        TagQueue fresh = firstUnused;
        if (fresh == null) {
            fresh = new TagQueue(client);
        } else {
            firstUnused = fresh.next;
        }
        fresh.tag = tag;
        fresh.inTable = true;
        link(fresh);
        place(fresh);
        size++;
        return fresh;
    }

    private void grow() {
        table = new TagQueue[table.length * 2];
        for (TagQueue queue = firstInUse; queue != null; queue = queue.next) {
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

    private void link(TagQueue queue) {
        queue.previous = null;
        queue.next = firstInUse;
        if (firstInUse != null) {
            firstInUse.previous = queue;
        }
        firstInUse = queue;
    }

    private void unlink(TagQueue queue) {
        TagQueue before = queue.previous;
        TagQueue after = queue.next;
        if (before == null) {
            firstInUse = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        queue.previous = null;
        queue.next = null;
    }

    /** The index at which the search for a tag begins. */
    int home(int tag) {
        return hash.of(tag) & (table.length - 1);
    }
}
