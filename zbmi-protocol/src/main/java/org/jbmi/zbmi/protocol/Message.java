package org.jbmi.zbmi.protocol;

import org.jbmi.mempool.SharedMemory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * One message between a peer and the engine: a kind and up to {@value #MAX_WORDS} words of 64 bits.
 * It is a value that is filled, sent, and filled again: senders and receivers hold one and allocate
 * nothing. It exists in the process only; a lane, a queue or a socket carries its header and its
 * words, {@value #MAX_BYTES} bytes at most.
 *
 * <pre>
 *   header    0               16              24                              63
 *             +---------------+---------------+-------------------------------+
 *             | kind          | words used    | 0                             |
 *             +---------------+---------------+-------------------------------+
 * </pre>
 *
 * <p>What the words mean is said by {@link ClientRequests}, {@link ClientEvents}, {@link
 * ServerRequests} and {@link ServerEvents}. Not thread-safe.
 */
public final class Message {
    /** Most words of a message. */
    public static final int MAX_WORDS = 14;

    /** Most bytes of a message with its header. */
    public static final int MAX_BYTES = (MAX_WORDS + 1) * Long.BYTES;

    private static final int COUNT_SHIFT = 16;
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final long[] words = new long[MAX_WORDS];
    private int kind;
    private int count;

    /** Makes an empty message, of kind 0, which no message on a wire has. */
    public Message() {}

    /**
     * Begins a message anew.
     *
     * @param newKind 1 to 65535
     */
    public Message start(int newKind) {
        this.kind = newKind;
        this.count = 0;
        return this;
    }

    /** Appends a word. */
    public Message put(long word) {
        words[count++] = word;
        return this;
    }

    /** Appends a word made of two halves. */
    public Message put(int low, int high) {
        return put(pack(low, high));
    }

    /**
     * Appends the bytes of a payload as words; the last is filled up with zeros.
     *
     * @param payload of any kind and alignment; there is room for it
     */
    public Message putBytes(MemorySegment payload) {
        long size = payload.byteSize();
        int whole = (int) (size / Long.BYTES);
        if (whole > 0) { // memory of no bytes may be closed
            MemorySegment.copy(payload, WORD, 0, words, count, whole);
            count += whole;
        }
        long at = (long) whole * Long.BYTES;
        if (at < size) {
            long last = 0;
            for (int shift = 0; at < size; at++, shift += Byte.SIZE) {
                last |= (payload.get(ValueLayout.JAVA_BYTE, at) & 0xffL) << shift;
            }
            put(last);
        }
        return this;
    }

    /**
     * Copies a payload that begins at a word.
     *
     * @param first index of its first word
     * @param target of any kind and alignment
     * @param size of the payload in bytes
     */
    public void copyBytes(int first, MemorySegment target, long size) {
        int whole = (int) (size / Long.BYTES);
        if (whole > 0) {
            MemorySegment.copy(words, first, target, WORD, 0, whole);
        }
        long at = (long) whole * Long.BYTES;
        if (at < size) {
            long last = words[first + whole];
            for (; at < size; at++, last >>>= Byte.SIZE) {
                target.set(ValueLayout.JAVA_BYTE, at, (byte) last);
            }
        }
    }

    /** The kind; 0 for an empty message. */
    public int kind() {
        return kind;
    }

    /** How many words are used. */
    public int wordCount() {
        return count;
    }

    /**
     * A word.
     *
     * @param index 0 to {@link #MAX_WORDS} - 1; from {@link #wordCount()} on they are leftovers
     */
    public long word(int index) {
        return words[index];
    }

    /** The lower half of a word. */
    public int low(int index) {
        return (int) words[index];
    }

    /** The upper half of a word. */
    public int high(int index) {
        return (int) (words[index] >>> Integer.SIZE);
    }

    /** The header for the wire. */
    public long header() {
        return kind | (long) count << COUNT_SHIFT;
    }

    /** How many words follow a {@link #header} that this process made. */
    public static int countOf(long header) {
        return (int) (header >>> COUNT_SHIFT);
    }

    /**
     * Begins a message from a wire; its words are set with {@link #setWord}.
     *
     * @param header read once, not trusted
     * @return how many words follow, or -1 if this is no header
     */
    public int load(long header) {
        int loadedKind = (int) (header & 0xffff);
        long loadedCount = header >>> COUNT_SHIFT;
        if (loadedKind == 0 || loadedCount > MAX_WORDS) {
            return -1;
        }
        this.kind = loadedKind;
        this.count = (int) loadedCount;
        return this.count;
    }

    /**
     * Puts a word that came from a wire.
     *
     * @param index below what {@link #load} returned
     */
    public void setWord(int index, long word) {
        words[index] = word;
    }

    /**
     * Takes all words after {@link #load}.
     *
     * @param offset of the first, a multiple of 8
     */
    public void readWords(SharedMemory memory, long offset) {
        memory.getLongs(offset, words, 0, count);
    }

    /**
     * Appends words.
     *
     * @param offset of the first, a multiple of 8
     * @param more how many; there is room for them
     */
    public void appendWords(SharedMemory memory, long offset, int more) {
        memory.getLongs(offset, words, count, more);
        count += more;
    }

    /**
     * Copies the words from one on to the last.
     *
     * @param offset of the first, a multiple of 8
     */
    public void writeWords(int first, SharedMemory memory, long offset) {
        memory.setLongs(offset, words, first, count - first);
    }

    /** Becomes a copy of another message. */
    public void copyFrom(Message other) {
        this.kind = other.kind;
        this.count = other.count;
        System.arraycopy(other.words, 0, words, 0, other.count);
    }

    /** One word of two halves. */
    public static long pack(int low, int high) {
        return (low & 0xffff_ffffL) | (long) high << Integer.SIZE;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("kind ").append(kind);
        for (int i = 0; i < count; i++) {
            text.append(' ').append(Long.toHexString(words[i]));
        }
        return text.toString();
    }
}
