package org.jbmi.zoidfs.client;

import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.XdrException;

import java.io.IOException;
import java.util.List;

/**
 * Lists a directory part by part. A broken server may lead back to an earlier part, or send new
 * entries without an end; the list then ends with an error. Not thread-safe.
 */
public final class DirectoryParts {
    private static final int ENTRIES_AT_ONCE = 512;

    /** The most entries of a list. A mount's process keeps all names of one outside of the heap. */
    private static final long MAX_ENTRIES = 1 << 24;

    private final ZoidfsClient client;
    private final FileHandle directory;
    private final int flags;
    private long cookie;
    private long seen;

    // Brent's search for a cycle. It remembers the cookie of one part, for 1 part, then for 2, then
    // 4, and so on.
    private long mark;
    private long partsOfMark = 1;
    private long partsLeft = 1;

    /**
     * Begins; the first request is that of {@link #next}.
     *
     * @param client of the server; the caller closes it
     * @param directory its handle
     * @param flags as those of {@link ZoidfsClient#readDirectory}
     */
    public DirectoryParts(ZoidfsClient client, FileHandle directory, int flags) {
        this.client = client;
        this.directory = directory;
        this.flags = flags;
    }

    /**
     * Asks the server for the next part, including "." and "..".
     *
     * @return the entries; none at the end
     * @throws ZoidfsException with XDR also if the server leads back to an earlier part, or has
     *     told more than 16 777 216 entries
     */
    public List<DirectoryEntry> next() throws IOException {
        List<DirectoryEntry> part = client.readDirectory(directory, cookie, ENTRIES_AT_ONCE, flags);
        if (part.isEmpty()) {
            return part;
        }
        cookie = part.getLast().cookie();
        seen += part.size();
        if (cookie == mark) {
            throw endless("A part ends with the cookie of an earlier one");
        }
        if (seen > MAX_ENTRIES) {
            throw endless("The list has more than " + MAX_ENTRIES + " entries");
        }
        if (--partsLeft == 0) {
            mark = cookie;
            partsOfMark *= 2;
            partsLeft = partsOfMark;
        }
        return part;
    }

    private static ZoidfsException endless(String why) {
        return new ZoidfsException(
                Status.XDR,
                "The server's list of a directory does not end, or is too long",
                new XdrException(why));
    }
}
