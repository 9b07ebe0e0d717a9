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
 * longest is closed. Safe for use by any thread.
 */
final class OpenFiles {
    private final int maximum;
    private final Map<FileHandle, OpenFile> files = new LinkedHashMap<>(16, 0.75f, true);

    OpenFiles(int maximum) {
        this.maximum = maximum;
    }

    /** An open file that is from now on in use, or null. */
    synchronized @Nullable OpenFile use(FileHandle handle) {
        OpenFile file = files.get(handle);
        if (file != null) {
            file.users++;
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
            if (other != null) {
                closed.add(file);
            }
            evict(closed, maximum);
        }
        closed.forEach(each -> each.close(calls));
        return kept;
    }

    /** Ends one use. */
    synchronized void release(OpenFile file) {
        file.users--;
    }

    /** Closes all that nobody uses. */
    void closeIdle(SystemCalls calls) {
        List<OpenFile> closed = new ArrayList<>();
        synchronized (this) {
            evict(closed, 0);
        }
        closed.forEach(each -> each.close(calls));
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
