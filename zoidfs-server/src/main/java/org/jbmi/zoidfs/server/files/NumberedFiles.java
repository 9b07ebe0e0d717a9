package org.jbmi.zoidfs.server.files;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Numbers for files of file systems that give no names of their own, with the path by which each is
 * found again. A name has a random part too, which differs in each process: numbers begin anew
 * there, while the key that seals them may be an old one. Bounded: the number that was not used for
 * longest is forgotten. Safe for use by any thread.
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

    private static final int NAME_BYTES = 2 * Long.BYTES;

    private final int maximum;

    /** Tells the numbers of this process from those of an earlier one. */
    private final long process = new SecureRandom().nextLong();

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
        return ByteBuffer.allocate(NAME_BYTES).putLong(entry.number).putLong(process).array();
    }

    /** The file with a name, or null if it was forgotten or the name is of another process. */
    synchronized @Nullable Entry find(byte[] name) {
        if (name.length != NAME_BYTES) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(name);
        long number = fields.getLong();
        return fields.getLong() == process ? byNumber.get(number) : null;
    }
}
