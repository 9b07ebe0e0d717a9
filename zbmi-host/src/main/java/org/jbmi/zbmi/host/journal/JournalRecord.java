package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.protocol.Message;

/**
 * One record of a journal: a value that is filled, kept, and filled again. Not thread-safe.
 *
 * <p>What keeps it keeps {@link #kind}, {@link #session}, {@link #timeNs} and {@link #wordCount}
 * words of 64 bits, and a way to tell whether they are whole.
 */
public final class JournalRecord {
    /** Most words of a record. */
    public static final int MAX_WORDS = 20;

    private final long[] words = new long[MAX_WORDS];
    private int kind;
    private int session;
    private long timeNs;
    private int count;

    /** Makes an empty one. */
    public JournalRecord() {}

    /**
     * Begins it anew.
     *
     * @param newKind code of a {@link JournalKind}
     * @param newSession of whom it tells
     * @param newTimeNs when, on the clock of the process that wrote it
     */
    public JournalRecord start(int newKind, int newSession, long newTimeNs) {
        this.kind = newKind;
        this.session = newSession;
        this.timeNs = newTimeNs;
        this.count = 0;
        return this;
    }

    /** Appends a word. */
    public JournalRecord put(long word) {
        words[count++] = word;
        return this;
    }

    /**
     * Appends a message: its header, then its words.
     *
     * @param message copied
     */
    public JournalRecord put(Message message) {
        put(message.header());
        for (int i = 0; i < message.wordCount(); i++) {
            put(message.word(i));
        }
        return this;
    }

    /**
     * Takes a message out.
     *
     * @return false if there is none
     */
    public boolean message(int from, Message into) {
        int length = from < count ? into.load(words[from]) : -1;
        if (length < 0 || from + 1 + length != count) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            into.setWord(i, words[from + 1 + i]);
        }
        return true;
    }

    /**
     * The code of its kind.
     *
     * @return perhaps of no {@link JournalKind}, if it was read
     */
    public int kind() {
        return kind;
    }

    /** Of whom it tells. */
    public int session() {
        return session;
    }

    /**
     * When it was written.
     *
     * @return nanoseconds on the clock of the process that wrote it
     */
    public long timeNs() {
        return timeNs;
    }

    /**
     * How many words it has.
     *
     * @return at most {@link #MAX_WORDS}
     */
    public int wordCount() {
        return count;
    }

    /**
     * A word.
     *
     * @param index below {@link #wordCount()}
     */
    public long word(int index) {
        return words[index];
    }

    /** Becomes a copy. */
    public JournalRecord copyFrom(JournalRecord other) {
        start(other.kind, other.session, other.timeNs);
        count = other.count;
        System.arraycopy(other.words, 0, words, 0, count);
        return this;
    }

    /**
     * Whether two tell the same, whenever it was.
     *
     * @return true if kind, session and words are equal
     */
    public boolean tellsTheSame(JournalRecord other) {
        boolean same = kind == other.kind && session == other.session && count == other.count;
        for (int i = 0; same && i < count; i++) {
            same = words[i] == other.words[i];
        }
        return same;
    }
}
