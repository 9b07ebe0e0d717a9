package org.jbmi.zbmi.host.place;

import org.jbmi.spi.HashMaps;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The distinct errors of a host: each kept once, with its count and times. Bounded: errors that do
 * not fit are counted in one entry. For rare events; any thread may record.
 */
public final class ErrorLog {
    static final int CAPACITY = 256;
    private static final String OVERFLOW = "other errors";

    /**
     * An error that was seen.
     *
     * @param text what happened
     * @param count how often
     * @param firstMs when first, in milliseconds since 1970
     * @param lastMs when last
     */
    public record Entry(String text, long count, long firstMs, long lastMs) {
        Entry again(long nowMs) {
            return new Entry(text, count + 1, firstMs, nowMs);
        }

        Entry with(Entry other) {
            return new Entry(
                    text,
                    count + other.count,
                    Math.min(firstMs, other.firstMs),
                    Math.max(lastMs, other.lastMs));
        }
    }

    // Both have room for all entries from the beginning, so that an add changes all or nothing.
    private final Map<String, Integer> indexes =
            HashMaps.prepared(HashMap.newHashMap(CAPACITY + 1));
    private final List<Entry> entries = new ArrayList<>(CAPACITY + 1);
    private final Consumer<String> firstSeen;
    private @Nullable ErrorsFile file;

    /**
     * An empty log.
     *
     * @param firstSeen called once for each distinct error
     */
    public ErrorLog(Consumer<String> firstSeen) {
        this.firstSeen = firstSeen;
    }

    /**
     * An empty log whose distinct errors are warnings of another log too.
     *
     * @param log takes each distinct error once
     */
    public static ErrorLog to(System.Logger log) {
        return new ErrorLog(text -> warn(log, text));
    }

    // The other log may name the method that calls it, and the name of a lambda says nothing.
    private static void warn(System.Logger log, String text) {
        log.log(System.Logger.Level.WARNING, text);
    }

    /**
     * From now on all entries, earlier ones too, are in a file as well.
     *
     * @param newFile an empty one, for this log alone
     */
    public synchronized void keepIn(ErrorsFile newFile) {
        file = newFile;
        for (int i = 0; i < entries.size(); i++) {
            newFile.put(i, entries.get(i));
        }
    }

    /**
     * Records an error.
     *
     * @param text a text that is the same each time
     */
    public synchronized void record(String text) {
        long nowMs = System.currentTimeMillis();
        Integer known = indexes.get(text);
        if (known != null) {
            put(known, entries.get(known).again(nowMs));
        } else if (entries.size() >= CAPACITY) {
            overflow(new Entry(text, 1, nowMs, nowMs));
        } else {
            add(new Entry(text, 1, nowMs, nowMs));
            firstSeen.accept(text);
        }
    }

    /** Takes over the entries of another host that has ended, without reporting them again. */
    synchronized void takeOver(List<Entry> others) {
        for (Entry other : others) {
            Integer known = indexes.get(other.text());
            if (known != null) {
                put(known, entries.get(known).with(other));
            } else if (entries.size() >= CAPACITY) {
                overflow(other);
            } else {
                add(other);
            }
        }
    }

    private void overflow(Entry one) {
        Integer known = indexes.get(OVERFLOW);
        if (known == null) {
            add(new Entry(OVERFLOW, one.count, one.firstMs, one.lastMs));
        } else {
            put(known, entries.get(known).with(one));
        }
    }

    private void add(Entry entry) {
        int index = entries.size();
        indexes.put(entry.text(), index); // changes nothing if it lacks memory
        try {
            if (file != null) {
                file.put(index, entry);
            }
            entries.add(entry);
        } finally {
            if (entries.size() == index) { // there was no memory for its bytes
                indexes.remove(entry.text());
            }
        }
    }

    private void put(int index, Entry entry) {
        entries.set(index, entry);
        if (file != null) {
            file.put(index, entry);
        }
    }

    /** The entries, the oldest first. */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries);
    }
}
