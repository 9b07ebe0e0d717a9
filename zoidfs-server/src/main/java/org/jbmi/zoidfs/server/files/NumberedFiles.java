package org.jbmi.zoidfs.server.files;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Numbers for files of file systems that give no names of their own, with the path by which each is
 * found again. Bounded: the number that was not used for longest is forgotten. Safe for use by any
 * thread.
 */
final class NumberedFiles {
    /**
     * A file, whatever it is called.
     *
     * @param device its file system
     * @param inode its number there
     * @param birth tells it from a later file with that number
     */
    record Identity(long device, long inode, long birth) {}

    /** A file that was given a number. */
    static final class Entry {
        final Identity identity;
        final long number;
        volatile String path;

        Entry(Identity identity, long number, String path) {
            this.identity = identity;
            this.number = number;
            this.path = path;
        }
    }

    private final int maximum;
    private final Map<Long, Entry> byNumber = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Identity, Entry> byIdentity = new HashMap<>();
    private long last;

    NumberedFiles(int maximum) {
        this.maximum = maximum;
    }

    /** The name of a file, which it keeps as long as it is remembered. */
    synchronized byte[] name(Identity identity, String path) {
        Entry entry = byIdentity.get(identity);
        if (entry == null) {
            if (byNumber.size() >= maximum) {
                Entry oldest = byNumber.values().iterator().next();
                byNumber.remove(oldest.number);
                byIdentity.remove(oldest.identity);
            }
            entry = new Entry(identity, ++last, path);
            byIdentity.put(identity, entry);
        }
        entry.path = path;
        byNumber.put(entry.number, entry);
        return ByteBuffer.allocate(Long.BYTES).putLong(entry.number).array();
    }

    /** The file with a name, or null if it was forgotten. */
    synchronized @Nullable Entry find(byte[] name) {
        return name.length == Long.BYTES ? byNumber.get(ByteBuffer.wrap(name).getLong()) : null;
    }
}
