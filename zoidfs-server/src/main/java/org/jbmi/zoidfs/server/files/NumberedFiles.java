package org.jbmi.zoidfs.server.files;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Numbers for files whose file system has no handles of its own, each with the path that leads to
 * the file. The name in a handle is the number and a random word of this process: numbers begin
 * again in each process, but the key of the handles may be an old one. The table is bounded: it
 * forgets the least recently used number. Safe for use by any thread.
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
        volatile String path;

        Entry(Identity identity, long number, String path) {
            this.identity = identity;
            this.number = number;
            this.path = path;
        }
    }

    private static final int NAME_BYTES = 2 * Long.BYTES;

    private final int maximum;

    /** Differs in each process, so that this one recognises its own numbers. */
    private final long process = new SecureRandom().nextLong();

    private final Map<Long, Entry> byNumber = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Identity, Entry> byIdentity = new HashMap<>();
    private long last;

    NumberedFiles(int maximum) {
        this.maximum = maximum;
    }

    /** The name of a file; the file keeps it until the table forgets the number. */
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
        return ByteBuffer.allocate(NAME_BYTES).putLong(entry.number).putLong(process).array();
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
