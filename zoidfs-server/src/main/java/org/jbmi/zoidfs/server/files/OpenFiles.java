package org.jbmi.zoidfs.server.files;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The open files. The table keeps a file open while it is in use. It keeps unused files open while
 * at most {@code maxOpenFiles} files are open, and closes the least recently used ones first. It
 * also closes a removed file, because an open file keeps its space on the disk. It closes a file
 * that nobody has used for a while, because another process may have removed that file. Safe for
 * use by any thread.
 */
final class OpenFiles {
    private final int maximum;
    private final Map<FileHandle, OpenFile> files =
            HashMaps.prepared(new LinkedHashMap<>(16, 0.75f, true));
    private long round;

    OpenFiles(int maximum) {
        this.maximum = maximum;
    }

    /** Begins a use of an open file; null if it is not open. */
    synchronized @Nullable OpenFile use(FileHandle handle) {
        OpenFile file = files.get(handle);
        if (file != null) {
            file.users++;
            file.usedInRound = round;
        }
        return file;
    }

    /**
     * Adds a file and begins a use; if another thread has added the file first, uses that one. If
     * there is no memory for that, closes the file.
     */
    OpenFile add(SystemCalls calls, OpenFile file) {
        OpenFile kept;
        OpenFile closed = null;
        synchronized (this) {
            OpenFile other = null;
            try {
                other = files.putIfAbsent(file.handle, file);
            } catch (RuntimeException | Error e) {
                // The table may have it, though it could not grow.
                files.remove(file.handle, file);
                file.close(calls);
                throw e;
            }
            kept = other == null ? file : other;
            kept.users++;
            kept.usedInRound = round;
            try {
                closed = evict(maximum);
            } catch (OutOfMemoryError e) {
                // The table is too long until the next one comes.
            }
            if (other != null) {
                file.behind = closed;
                closed = file;
            }
        }
        closeAll(calls, closed);
        return kept;
    }

    /** Closes files that are in no table, from the first of a chain on; null is an empty chain. */
    private static void closeAll(SystemCalls calls, @Nullable OpenFile first) {
        for (OpenFile file = first; file != null; file = file.behind) {
            file.close(calls);
        }
    }

    /** Ends one use. */
    void release(SystemCalls calls, OpenFile file) {
        if (leave(file)) {
            file.close(calls);
        }
    }

    /** Ends one use; true if the caller must close the file, which may take long. */
    synchronized boolean leave(OpenFile file) {
        file.users--;
        if (file.users > 0 || !file.closesWhenUnused) {
            return false;
        }
        files.remove(file.handle, file);
        return true;
    }

    /** Closes a file that has lost its last name, now or at the end of its last use. */
    void removed(SystemCalls calls, long device, long inode) {
        OpenFile closed = null;
        synchronized (this) {
            for (Iterator<OpenFile> each = files.values().iterator(); each.hasNext(); ) {
                OpenFile file = each.next();
                if (file.inode == inode && file.device == device) {
                    if (file.users == 0) {
                        each.remove();
                        file.behind = closed;
                        closed = file;
                    } else {
                        file.closesWhenUnused = true;
                    }
                }
            }
        }
        closeAll(calls, closed);
    }

    /** Ends a round: closes the files without a use since the round before. */
    void nextRound(SystemCalls calls) {
        OpenFile closed = null;
        synchronized (this) {
            for (Iterator<OpenFile> each = files.values().iterator(); each.hasNext(); ) {
                OpenFile file = each.next();
                if (file.users == 0 && file.usedInRound < round) {
                    each.remove();
                    file.behind = closed;
                    closed = file;
                }
            }
            round++;
        }
        closeAll(calls, closed);
    }

    /** Closes all files without users. */
    void closeIdle(SystemCalls calls) {
        OpenFile closed;
        synchronized (this) {
            closed = evict(0);
        }
        closeAll(calls, closed);
    }

    /** A system call that returns a descriptor. */
    interface Opening {
        int open();
    }

    /** If no descriptor is free, closes the files without users and tries again. */
    int withFreeDescriptors(SystemCalls calls, Opening opening) {
        int result = opening.open();
        if (result == -Errno.EMFILE || result == -Errno.ENFILE) {
            closeIdle(calls);
            result = opening.open();
        }
        return result;
    }

    /** Whether the file of a handle is open. */
    synchronized boolean isOpen(FileHandle handle) {
        return files.containsKey(handle);
    }

    /** How many are open. */
    synchronized int size() {
        return files.size();
    }

    /** Removes unused files. To chain them takes no memory, so none is lost. */
    private @Nullable OpenFile evict(int keep) {
        OpenFile closed = null;
        Iterator<OpenFile> oldest = files.values().iterator();
        while (files.size() > keep && oldest.hasNext()) {
            OpenFile file = oldest.next();
            if (file.users == 0) {
                oldest.remove();
                file.behind = closed;
                closed = file;
            }
        }
        return closed;
    }
}
