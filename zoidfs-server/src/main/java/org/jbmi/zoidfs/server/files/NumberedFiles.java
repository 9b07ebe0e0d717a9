package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

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
    private final int root;

    /** Shared by the renames under way; who finds no file by its paths takes it alone. */
    private final ReadWriteLock moves = new ReentrantReadWriteLock();

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
     * @param maximum how many paths to remember, also of open files, which may have more; a file
     *     has one or more
     * @param seal makes the handles
     * @param files the open files
     * @param root the descriptor of the root of the export
     */
    NumberedFiles(int maximum, HandleSeal seal, OpenFiles files, int root) {
        this.maximum = maximum;
        this.seal = seal;
        this.files = files;
        this.root = root;
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
    private synchronized void forget(Entry entry, String path) {
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

    /** Held from before a rename until the table has learnt the new path. */
    Lock moving() {
        return moves.readLock();
    }

    /** Whether no file has a number. */
    synchronized boolean isEmpty() {
        return byNumber.isEmpty();
    }

    /** Opens the file of a handle; STALE for a number that the table has forgotten. */
    int open(SystemCalls calls, FileHandle handle) throws FileFailure {
        Entry entry = find(handle);
        if (entry == null) {
            throw new FileFailure(Status.STALE);
        }
        int place = open(calls, entry);
        if (place != -Errno.ENOENT) {
            return place;
        }
        // A rename may have moved the file, and the table learns its new path only then.
        moves.writeLock().lock();
        try {
            return open(calls, entry);
        } finally {
            moves.writeLock().unlock();
        }
    }

    private int open(SystemCalls calls, Entry entry) {
        int place = -Errno.ENOENT;
        for (String path : entry.paths) {
            int found = open(calls, entry.identity, path);
            if (found == -Errno.ENOENT) {
                forget(entry, path);
            }
            // Behind a path that may not be opened now there may be the file.
            if (found != -Errno.ENOENT && found != -Errno.ENOTDIR) {
                place = found;
            }
            if (found >= 0 || ExportRoot.isLack(found)) {
                break;
            }
        }
        return place;
    }

    /** Opens a file by one of its paths; ENOENT if another file has the path. */
    private int open(SystemCalls calls, Identity identity, String path) {
        int place =
                files.withFreeDescriptors(
                        calls,
                        () ->
                                calls.openBeneath(
                                        root, path, SystemCalls.O_PATH | calls.noFollowFlag()));
        FileStat stat = new FileStat();
        if (place >= 0
                && (calls.stat(place, "", stat) < 0 || !Identity.of(stat).equals(identity))) {
            calls.close(place);
            return -Errno.ENOENT;
        }
        return place;
    }

    /** The file with a handle; null if the number is forgotten, or of another process. */
    private synchronized @Nullable Entry find(FileHandle handle) {
        byte[] name = seal.open(HandleSeal.BY_NUMBER, handle);
        if (name == null || name.length != NAME_BYTES) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(name);
        long number = fields.getLong();
        return fields.getLong() == process ? byNumber.get(number) : null;
    }
}
