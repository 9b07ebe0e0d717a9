package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.server.os.FileStat;
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
 * recently used number. It keeps the number of an open file: a second handle of the file would have
 * a queue of its own. Safe for use by any thread.
 */
final class NumberedFiles {
    /**
     * A file, whatever its names are.
     *
     * @param device its file system
     * @param inode its number in the file system
     * @param birth its time of creation, which differs in a later file with the same number
     */
    record Identity(long device, long inode, long birth) {
        static Identity of(FileStat stat) {
            return new Identity(stat.device(), stat.inode(), stat.birth());
        }
    }

    /** A file with its number. */
    static final class Entry {
        final Identity identity;
        final long number;
        final FileHandle handle;

        /** Paths from the root of the export. The one that was looked up last comes first. */
        volatile List<String> paths = List.of();

        Entry(Identity identity, long number, FileHandle handle) {
            this.identity = identity;
            this.number = number;
            this.handle = handle;
        }
    }

    /** The most paths of one file; the least recently used one is forgotten. */
    private static final int MAX_PATHS = 16;

    private static final int NAME_BYTES = 2 * Long.BYTES;

    private final int maximum;
    private final HandleSeal seal;
    private final OpenFiles files;

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
     * @param maximum how many paths to remember, besides those of open files; a file has one or
     *     more
     * @param seal makes the handles
     * @param files the open files
     */
    NumberedFiles(int maximum, HandleSeal seal, OpenFiles files) {
        this.maximum = maximum;
        this.seal = seal;
        this.files = files;
    }

    /** The handle of a file; the file keeps it until the table forgets the number. */
    synchronized FileHandle handle(Identity identity, String path) {
        Entry entry = byIdentity.get(identity);
        if (entry == null) {
            entry = new Entry(identity, ++last, seal(last));
            byIdentity.put(identity, entry);
        }
        setPaths(entry, first(path, entry.paths));
        byNumber.put(entry.number, entry);
        for (int others = byNumber.size() - 1; paths > maximum && others > 0; others--) {
            Entry oldest = byNumber.values().iterator().next();
            byNumber.remove(oldest.number);
            if (files.isOpen(oldest.handle)) {
                // In use, so it becomes the newest.
                byNumber.put(oldest.number, oldest);
            } else {
                byIdentity.remove(oldest.identity);
                setPaths(oldest, List.of());
            }
        }
        return entry.handle;
    }

    private FileHandle seal(long number) {
        byte[] name = ByteBuffer.allocate(NAME_BYTES).putLong(number).putLong(process).array();
        return seal.seal(HandleSeal.BY_NUMBER, name);
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

    /** The file with a handle; null if the number is forgotten, or of another process. */
    synchronized @Nullable Entry find(FileHandle handle) {
        byte[] name = seal.open(HandleSeal.BY_NUMBER, handle);
        if (name == null || name.length != NAME_BYTES) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(name);
        long number = fields.getLong();
        return fields.getLong() == process ? byNumber.get(number) : null;
    }
}
