package org.jbmi.zoidfs.server.files;

import org.jbmi.spi.HashMaps;
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
 * the file. A file with hard links has several paths, and its handle lasts as long as one of them.
 * The name in a handle is the number and a random word of this process. The word is there because
 * numbers begin again in each process, while the key of the handles may be an old one.
 *
 * <p>The table is bounded: it forgets the least recently used number. It keeps the number of a file
 * that is open or being opened: a second handle of the file would have another queue. Safe for use
 * by any thread.
 */
final class NumberedFiles {
    /**
     * A file, whatever its names are.
     *
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
        final FileHandle handle;

        /** How many threads are opening it; guarded by the table's lock. */
        private int openings;

        /** Paths from the root of the export. The one that was looked up last comes first. */
        volatile List<String> paths = List.of();

        Entry(Identity identity, FileHandle handle) {
            this.identity = identity;
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

    /**
     * Differs in each process, so that the handles of another one differ from those of this one.
     */
    private final long process = new SecureRandom().nextLong();

    private final Map<FileHandle, Entry> byHandle =
            HashMaps.prepared(new LinkedHashMap<>(16, 0.75f, true));
    private final Map<Identity, Entry> byIdentity = HashMaps.prepared(new HashMap<>());
    private long last;

    /** How many paths there are, of all files. */
    private int paths;

    /**
     * Makes an empty table.
     *
     * @param maximum how many paths to remember, also of open files, which may have more; a file
     *     has one or more
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
            entry = new Entry(identity, seal(++last));
            byIdentity.put(identity, entry);
        }
        setPaths(entry, first(path, entry.paths));
        byHandle.put(entry.handle, entry);
        for (int others = byHandle.size() - 1; paths > maximum && others > 0; others--) {
            Entry oldest = byHandle.values().iterator().next();
            byHandle.remove(oldest.handle);
            if (oldest.openings > 0 || files.isOpen(oldest.handle)) {
                // In use, so it becomes the newest.
                byHandle.put(oldest.handle, oldest);
            } else {
                byIdentity.remove(oldest.identity);
                setPaths(oldest, List.of());
            }
        }
        return entry.handle;
    }

    /** The same for a file that is being opened; {@link #endOpening} must follow. */
    synchronized FileHandle handleToOpen(Identity identity, String path) {
        FileHandle handle = handle(identity, path);
        beginOpening(handle);
        return handle;
    }

    /** Keeps the number of a file, if the table has it, until {@link #endOpening}. */
    synchronized void beginOpening(FileHandle handle) {
        count(handle, 1);
    }

    /** From now on the table keeps the number only while the file is open. */
    synchronized void endOpening(FileHandle handle) {
        count(handle, -1);
    }

    // A handle that is not in the table never comes into it: each number is new.
    private void count(FileHandle handle, int more) {
        Entry entry = byHandle.get(handle);
        if (entry != null) {
            entry.openings += more;
        }
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
        if (byHandle.get(entry.handle) == entry && entry.paths.size() > 1) {
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
        return byHandle.isEmpty();
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
        if (place < 0) {
            return place;
        }
        boolean isFound = false;
        try {
            FileStat stat = new FileStat();
            isFound = calls.stat(place, "", stat) == 0 && Identity.of(stat).equals(identity);
        } finally {
            if (!isFound) {
                calls.close(place);
            }
        }
        return isFound ? place : -Errno.ENOENT;
    }

    /** The file with a handle; null if the number is forgotten, or of another process. */
    private synchronized @Nullable Entry find(FileHandle handle) {
        return byHandle.get(handle);
    }
}
