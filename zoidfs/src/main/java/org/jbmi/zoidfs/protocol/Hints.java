package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Hints of a request or a reply: an ordered list of keys with values. A key may occur twice. A
 * reader ignores hints that it does not know or that are too long. Hints of shared pointers can
 * make a call fail.
 *
 * @param entries the hints
 */
public record Hints(List<Entry> entries) {
    /** None. */
    public static final Hints NONE = new Hints(List.of());

    /** With any value: the server writes at the end of the file. */
    public static final String ATOMIC_APPEND = "ZOIDFS_ATOMIC_APPEND";

    /** In a reply: the offset of an append, 20 decimal digits. */
    public static final String ATOMIC_APPEND_OFFSET = "ZOIDFS_ATOMIC_APPEND_OFFSET";

    /**
     * With any value: the server may answer a write before the data is in the file. A later commit
     * reports the error of the write.
     */
    public static final String WRITE_BEHIND = "ZOIDFS_NONBLOCK_SERVER_IO";

    /** What to do with a shared file pointer. */
    public static final String POINTER_OPERATION = "ZOIDFS_SFP_OP";

    /** Which shared file pointer. */
    public static final String POINTER_ID = "ZOIDFS_SFP_ID";

    /** Its value, decimal. */
    public static final String POINTER_VALUE = "ZOIDFS_SFP_VAL";

    /** The most hints that a reader takes; it ignores those after them. */
    public static final int MAX_COUNT = 128;

    /** The longest key or value, in bytes; a hint with a longer one is ignored. */
    public static final int MAX_TEXT_BYTES = 256;

    /**
     * One hint.
     *
     * @param key one character for each byte
     * @param value one character for each byte
     */
    public record Entry(String key, String value) {
        /**
         * Checks the texts.
         *
         * @throws IllegalArgumentException if a character is no byte
         */
        public Entry {
            XdrWriter.checkBytes(key);
            XdrWriter.checkBytes(value);
        }
    }

    /** Keeps a copy. */
    public Hints {
        entries = List.copyOf(entries);
    }

    /** One hint. */
    public static Hints of(String key, String value) {
        return new Hints(List.of(new Entry(key, value)));
    }

    /** The value of the last hint with a key, or null. */
    public @Nullable String get(String key) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).key().equals(key)) {
                return entries.get(i).value();
            }
        }
        return null;
    }

    /** Whether there is a hint with a key. */
    public boolean has(String key) {
        return get(key) != null;
    }

    /** These, and one more at the end. */
    public Hints with(String key, String value) {
        List<Entry> all = new ArrayList<>(entries);
        all.add(new Entry(key, value));
        return new Hints(all);
    }

    /** These, with each hint of one key replaced, or one appended if there is none. */
    public Hints replacing(String key, String newKey, String newValue) {
        List<Entry> all = new ArrayList<>();
        boolean found = false;
        for (Entry entry : entries) {
            boolean meant = entry.key().equals(key);
            found |= meant;
            all.add(meant ? new Entry(newKey, newValue) : entry);
        }
        if (!found) {
            all.add(new Entry(newKey, newValue));
        }
        return new Hints(all);
    }

    /** Reads hints; leaves out those beyond the limits. */
    static Hints read(XdrReader reader) throws XdrException {
        if (reader.readInt("hints present") == 0) {
            return NONE;
        }
        int count = reader.readInt("hint count");
        List<Entry> entries = new ArrayList<>();
        // Hints are the last field, so those beyond the limit need not be read.
        for (int i = 0; i < Math.min(count, MAX_COUNT); i++) {
            // The length in front is redundant: the string has its own.
            reader.readInt("hint key length");
            String key = reader.readHint("hint key");
            reader.readInt("hint value length");
            String value = reader.readHint("hint value");
            if (key != null && value != null) {
                entries.add(new Entry(key, value));
            }
        }
        return new Hints(entries);
    }

    /** Reads hints; returns none if they are malformed, for requests whose data moves anyway. */
    static Hints readOrNone(XdrReader reader) {
        try {
            return read(reader);
        } catch (XdrException e) {
            return NONE;
        }
    }

    void write(XdrWriter writer) {
        if (entries.isEmpty()) {
            writer.writeInt(0);
            return;
        }
        writer.writeInt(1).writeInt(entries.size());
        for (Entry entry : entries) {
            writer.writeInt(entry.key().length() + 1).writeString(entry.key());
            writer.writeInt(entry.value().length() + 1).writeString(entry.value());
        }
    }
}
