package org.jbmi.zoidfs.server.files;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers for files whose file system has no handles of its own, each with the paths that lead to
 * the file: a file with hard links has several, and its handle lasts as long as one of them. The
 * name in a handle is the number and a random word of this process: numbers begin again in each
 * process, but the key of the handles may be an old one. The table is bounded: it forgets the least
 * recently used number. Safe for use by any thread.
 */
final class NumberedFiles {
    /**
     * A file, whatever its names are.
     *
     * @param device its file system
     * @param inode its number in the file system
     * @param birth its time of creation, which differs in a later file with the same number
     */
    record Identity(long device, long inode, long birth) {}

    /** A file with its number. */
    static final class Entry {
        final Identity identity;
        final long number;

        /** Paths from the root of the export. The one that was looked up last comes first. */
        volatile List<String> paths = List.of();

        Entry(Identity identity, long number) {
            this.identity = identity;
            this.number = number;
        }
    }

    /** The most paths of one file; the least recently used one is forgotten. */
    private static final int MAX_PATHS = 16;

    private static final int NAME_BYTES = 2 * Long.BYTES;

    private final int maximum;

    /** Differs in each process, so that this one recognises its own numbers. */
    private final long process = new SecureRandom().nextLong();

    private final Map<Long, Entry> byNumber = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Identity, Entry> byIdentity = new HashMap<>();
    private long last;

    /** How many paths there are, of all files. */
    private int paths;

    /**
     * Makes an empty table.
     *
     * @param maximum how many paths to remember; a file has one or more
     */
    NumberedFiles(int maximum) {
        this.maximum = maximum;
    }

    /** The name of a file; the file keeps it until the table forgets the number. */
    synchronized byte[] name(Identity identity, String path) {
        Entry entry = byIdentity.get(identity);
        if (entry == null) {
            entry = new Entry(identity, ++last);
            byIdentity.put(identity, entry);
        }
        setPaths(entry, first(path, entry.paths));
        byNumber.put(entry.number, entry);
        while (paths > maximum && byNumber.size() > 1) {
            Entry oldest = byNumber.values().iterator().next();
            byNumber.remove(oldest.number);
            byIdentity.remove(oldest.identity);
            setPaths(oldest, List.of());
        }
        return ByteBuffer.allocate(NAME_BYTES).putLong(entry.number).putLong(process).array();
    }

    private void setPaths(Entry entry, List<String> now) {
        paths += now.size() - entry.paths.size();
        entry.paths = now;
    }

    private static List<String> first(String path, List<String> others) {
        if (!others.isEmpty() && others.getFirst().equals(path)) {
            return others;
        }
        List<String> now = new ArrayList<>();
        now.add(path);
        for (String other : others) {
            if (!other.equals(path) && now.size() < MAX_PATHS) {
                now.add(other);
            }
        }
        return List.copyOf(now);
    }

    /**
     * A path does not lead to the file now. The last one stays: the file may be on its way to a new
     * name, which the table learns next.
     */
    synchronized void forget(Entry entry, String path) {
        if (byNumber.get(entry.number) == entry && entry.paths.size() > 1) {
            setPaths(entry, entry.paths.stream().filter(each -> !each.equals(path)).toList());
        }
    }

    /** A folder has another path now, and so have the files in it. */
    synchronized void moved(String from, String to) {
        String before = from + "/";
        for (Entry entry : byIdentity.values()) {
            if (entry.paths.stream().anyMatch(each -> each.startsWith(before))) {
                entry.paths =
                        entry.paths.stream()
                                .map(
                                        each ->
                                                each.startsWith(before)
                                                        ? to + each.substring(from.length())
                                                        : each)
                                .toList();
            }
        }
    }

    /** Whether no file has a number. */
    synchronized boolean isEmpty() {
        return byNumber.isEmpty();
    }

    /** The file with a name; null if the number is forgotten, or of another process. */
    synchronized @Nullable Entry find(byte[] name) {
        if (name.length != NAME_BYTES) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(name);
        long number = fields.getLong();
        return fields.getLong() == process ? byNumber.get(number) : null;
    }
}
