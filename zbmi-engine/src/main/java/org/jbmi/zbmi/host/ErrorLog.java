package org.jbmi.zbmi.host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The distinct errors of a daemon: each kept once, with how often and when it was seen. Bounded:
 * what does not fit is counted under one entry. For rare things; any thread may record.
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
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Consumer<String> firstSeen;

    /**
     * An empty log.
     *
     * @param firstSeen told of each distinct error once
     */
    public ErrorLog(Consumer<String> firstSeen) {
        this.firstSeen = firstSeen;
    }

    /**
     * Something went wrong.
     *
     * @param text what, in words that are the same each time
     */
    public synchronized void record(String text) {
        long nowMs = System.currentTimeMillis();
        if (entries.containsKey(text)) {
            record(text, nowMs);
        } else if (entries.size() >= CAPACITY) {
            record(OVERFLOW, nowMs);
        } else {
            record(text, nowMs);
            firstSeen.accept(text);
        }
    }

    private void record(String text, long nowMs) {
        Entry known = entries.get(text);
        entries.put(text, known == null ? new Entry(text, 1, nowMs, nowMs) : known.again(nowMs));
    }

    /**
     * What was seen, the oldest kind first.
     *
     * @return a copy
     */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries.values());
    }
}
