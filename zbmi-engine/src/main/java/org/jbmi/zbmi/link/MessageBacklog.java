package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

import java.util.Arrays;

/** Messages that wait for room in a lane: a bounded ring, which grows to what was once needed. */
public final class MessageBacklog {
    private static final int RECORD = 1 + Message.MAX_WORDS;
    private static final int INITIAL = 16;

    private final int bound;
    private long[] ring = new long[0];
    private int capacity;
    private int head;
    private int size;

    /**
     * An empty one.
     *
     * @param bound most messages in it
     */
    public MessageBacklog(int bound) {
        this.bound = bound;
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Appends a copy; false if the bound is reached. */
    public boolean add(Message message) {
        if (size == capacity && !grow()) {
            return false;
        }
        int at = (head + size) % capacity * RECORD;
        ring[at] = message.header();
        for (int i = 0; i < message.wordCount(); i++) {
            ring[at + 1 + i] = message.word(i);
        }
        size++;
        return true;
    }

    /** Shows the oldest. */
    public void peek(Message into) {
        int at = head * RECORD;
        int words = into.load(ring[at]);
        for (int i = 0; i < words; i++) {
            into.setWord(i, ring[at + 1 + i]);
        }
    }

    /** Forgets the oldest. */
    public void removeFirst() {
        head = (head + 1) % capacity;
        size--;
    }

    private boolean grow() {
        int larger = Math.min(bound, Math.max(INITIAL, capacity * 2));
        if (larger <= capacity) {
            return false;
        }
        long[] grown = Arrays.copyOf(ring, larger * RECORD);
        for (int i = 0; i < size; i++) {
            System.arraycopy(ring, (head + i) % capacity * RECORD, grown, i * RECORD, RECORD);
        }
        ring = grown;
        capacity = larger;
        head = 0;
        return true;
    }
}
