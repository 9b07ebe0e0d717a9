package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files that are open, at most a number of them beside those in use: the one that was not used for
 * longest is closed. So is one that was removed, since an open file keeps its space on the disk,
 * and one that nobody used for two rounds, since others may have removed it. Safe for use by any
 * thread.
 */
final class OpenFiles {
    private final int maximum;
    private final Map<FileHandle, OpenFile> files = new LinkedHashMap<>(16, 0.75f, true);
    private long round;

    OpenFiles(int maximum) {
        this.maximum = maximum;
    }

    /** An open file that is from now on in use, or null. */
    synchronized @Nullable OpenFile use(FileHandle handle) {
        OpenFile file = files.get(handle);
        if (file != null) {
            file.users++;
            file.usedInRound = round;
        }
        return file;
    }

    /** Adds a file and uses it; if another thread was faster, that one's is used instead. */
    OpenFile add(SystemCalls calls, OpenFile file) {
        List<OpenFile> closed = new ArrayList<>();
        OpenFile kept;
        synchronized (this) {
            OpenFile other = files.putIfAbsent(file.handle, file);
            kept = other == null ? file : other;
            kept.users++;
            kept.usedInRound = round;
            if (other != null) {
                closed.add(file);
            }
            evict(closed, maximum);
        }
        closed.forEach(each -> each.close(calls));
        return kept;
    }

    /** Ends one use. */
    void release(SystemCalls calls, OpenFile file) {
        if (leave(file)) {
            file.close(calls);
        }
    }

    /** Ends one use; true if the file is to be closed by the caller, which may take long. */
    synchronized boolean leave(OpenFile file) {
        file.users--;
        if (file.users > 0 || !file.doomed) {
            return false;
        }
        files.remove(file.handle, file);
        return true;
    }

    /** A file lost its last name: closes it, now or when its users are done. */
    void removed(SystemCalls calls, long device, long inode) {
        List<OpenFile> closed = new ArrayList<>();
        synchronized (this) {
            for (Iterator<OpenFile> each = files.values().iterator(); each.hasNext(); ) {
                OpenFile file = each.next();
                if (file.inode == inode && file.device == device) {
                    if (file.users == 0) {
                        each.remove();
                        closed.add(file);
                    } else {
                        file.doomed = true;
                    }
                }
            }
        }
        closed.forEach(each -> each.close(calls));
    }

    /** Ends a round: closes what nobody uses and nobody used since the round before. */
    void nextRound(SystemCalls calls) {
        List<OpenFile> closed = new ArrayList<>();
        synchronized (this) {
            for (Iterator<OpenFile> each = files.values().iterator(); each.hasNext(); ) {
                OpenFile file = each.next();
                if (file.users == 0 && file.usedInRound < round) {
                    each.remove();
                    closed.add(file);
                }
            }
            round++;
        }
        closed.forEach(each -> each.close(calls));
    }

    /** Closes all that nobody uses. */
    void closeIdle(SystemCalls calls) {
        List<OpenFile> closed = new ArrayList<>();
        synchronized (this) {
            evict(closed, 0);
        }
        closed.forEach(each -> each.close(calls));
    }

    /** Whether the file of a handle is open. */
    synchronized boolean isOpen(FileHandle handle) {
        return files.containsKey(handle);
    }

    /** How many are open. */
    synchronized int size() {
        return files.size();
    }

    private void evict(List<OpenFile> closed, int keep) {
        Iterator<OpenFile> oldest = files.values().iterator();
        while (files.size() > keep && oldest.hasNext()) {
            OpenFile file = oldest.next();
            if (file.users == 0) {
                oldest.remove();
                closed.add(file);
            }
        }
    }
}
