package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

import java.util.function.Predicate;

/**
 * A bounded queue of messages that wait for room in a lane. Its array grows on demand. Not
 * thread-safe.
 */
public final class MessageBacklog {
    private static final int MOST_WORDS = 1 + Message.MAX_WORDS;
    private static final int INITIAL_WORDS = 16 * MOST_WORDS;

    private final int bound;
    private long[] ring = new long[0];
    private int head;
    private int usedWords;
    private int size;

    /** An empty one. */
    public MessageBacklog(int bound) {
        this.bound = bound;
    }

    /** Whether it is empty. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** How many are in it. */
    public int size() {
        return size;
    }

    /** Appends a copy; false if the bound is reached, or if there is no memory for it. */
    public boolean add(Message message) {
        int words = message.wordCount();
        if (size == bound || !hasPlaceFor(1 + words)) {
            return false;
        }
        int at = place(usedWords);
        ring[at] = message.header();
        for (int i = 0; i < words; i++) {
            at = next(at);
            ring[at] = message.word(i);
        }
        usedWords += 1 + words;
        size++;
        return true;
    }

    private int place(int distance) {
        int at = head + distance;
        return at < ring.length ? at : at - ring.length;
    }

    private int next(int at) {
        return at + 1 == ring.length ? 0 : at + 1;
    }

    /** Copies the oldest message. */
    public void peek(Message into) {
        int at = head;
        int words = into.load(ring[at]);
        for (int i = 0; i < words; i++) {
            at = next(at);
            into.setWord(i, ring[at]);
        }
    }

    /** Removes the oldest. */
    public void removeFirst() {
        int words = 1 + Message.countOf(ring[head]);
        head = place(words);
        usedWords -= words;
        size--;
    }

    /**
     * Visits all, the oldest first, and removes those that are not wanted. Allocates nothing.
     *
     * @param each becomes each of them in turn
     */
    public void retain(Predicate<Message> isWanted, Message each) {
        for (int left = size; left > 0; left--) {
            peek(each);
            removeFirst();
            if (isWanted.test(each)) {
                add(each);
            }
        }
    }

    /** Removes all. */
    public void clear() {
        head = 0;
        usedWords = 0;
        size = 0;
    }

    private boolean hasPlaceFor(int words) {
        if (ring.length - usedWords >= words) {
            return true;
        }
        long larger =
                Math.min((long) bound * MOST_WORDS, Math.max(INITIAL_WORDS, ring.length * 2L));
        if (larger > Integer.MAX_VALUE - MOST_WORDS || larger - usedWords < words) {
            return false;
        }
        long[] grown;
        try {
            grown = new long[(int) larger];
        } catch (OutOfMemoryError e) {
            return false;
        }
        int untilEnd = Math.min(usedWords, ring.length - head);
        System.arraycopy(ring, head, grown, 0, untilEnd);
        System.arraycopy(ring, 0, grown, untilEnd, usedWords - untilEnd);
        ring = grown;
        head = 0;
        return true;
    }
}
