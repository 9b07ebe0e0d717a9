package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.FileSystemKind;
import org.jbmi.zoidfs.server.os.SystemCalls;

/**
 * A file with its descriptors: one for its place, and once it is needed one for its content. Kept
 * by {@link OpenFiles}, which closes it when nobody uses it.
 */
public final class OpenFile {
    private static final int CLOSED = -1;
    private static final long MS_PER_SECOND = 1_000;

    final FileHandle handle;

    /** A descriptor that can be asked and gone on from; not to be read or written by. */
    final int place;

    /** Which file it is, whatever its handle and names. */
    final long device;

    final long inode;

    /** Guarded by the table's lock. */
    int users;

    /** Whether it is to be closed when nobody uses it; guarded by the table's lock. */
    boolean doomed;

    /** When it was used last, in rounds of the table; guarded by the table's lock. */
    long usedInRound;

    /** When it was known last to be beneath the root; see {@link Whereabouts}, which owns it. */
    long knownIn;

    /** How often its place was asked for since; see {@link Whereabouts}, which owns it. */
    int askedFor;

    private final FileSystemKind kind;
    private final boolean readOnly;

    /** Opened once, by who holds the lock; looked at by others too. */
    private volatile int forReading = CLOSED;

    private int forWriting = CLOSED;

    OpenFile(FileHandle handle, int place, FileStat stat, FileSystemKind kind, boolean readOnly) {
        this.handle = handle;
        this.place = place;
        this.device = stat.device();
        this.inode = stat.inode();
        this.kind = kind;
        this.readOnly = readOnly;
    }

    /** A file that was made just now: its one descriptor is for everything. */
    static OpenFile made(FileHandle handle, int file, FileStat stat, FileSystemKind kind) {
        OpenFile made = new OpenFile(handle, file, stat, kind, false);
        made.forReading = file;
        made.forWriting = file;
        return made;
    }

    /** A descriptor for reading or writing; only regular files have one. */
    public synchronized int content(SystemCalls calls, boolean writing) throws FileFailure {
        if (writing && readOnly) {
            throw new FileFailure(Status.ROFS);
        }
        int known = writing ? forWriting : forReading;
        if (known != CLOSED) {
            return known;
        }
        FileStat stat = new FileStat();
        FileFailure.check(calls.stat(place, "", stat));
        if (stat.type() == FileType.DIRECTORY) {
            throw new FileFailure(Status.ISDIR);
        }
        if (stat.type() != FileType.REGULAR) {
            throw new FileFailure(Status.INVAL);
        }
        int both = readOnly ? -Errno.EROFS : open(calls, SystemCalls.O_RDWR);
        if (both >= 0) {
            // One serves both, unless the other was opened before.
            forReading = forReading == CLOSED ? both : forReading;
            forWriting = both;
            return both;
        }
        if (!isRefusal(both)) {
            throw FileFailure.of(both);
        }
        int one = open(calls, writing ? SystemCalls.O_WRONLY : SystemCalls.O_RDONLY);
        FileFailure.check(one);
        if (writing) {
            forWriting = one;
        } else {
            forReading = one;
        }
        return one;
    }

    /** A descriptor of the content for what needs the right to read or to write, either. */
    synchronized int anyContent(SystemCalls calls) throws FileFailure {
        if (forWriting != CLOSED) {
            return forWriting;
        }
        try {
            return content(calls, false);
        } catch (FileFailure e) {
            if (e.status() != Status.ACCES) {
                throw e;
            }
            return content(calls, true);
        }
    }

    /** Whether its attributes are told from memory. */
    boolean isNear() {
        return kind != FileSystemKind.FAR;
    }

    /**
     * A descriptor by which what is in memory can be read without a change on the disk, or a number
     * below 0 if there is none.
     *
     * @param stat what the system says of it now
     */
    public int contentAtOnce(FileStat stat) {
        boolean changesNothing =
                switch (kind) {
                    case FAR, NEAR_TIMES_EACH_READ -> false;
                    case NEAR_TIMES_FEW_READS ->
                            stat.readTimeStays(System.currentTimeMillis() / MS_PER_SECOND);
                    case NEAR_TIMES_NO_READ -> true;
                };
        return changesNothing ? forReading : CLOSED;
    }

    /** Its length in bytes; only a regular file has one. */
    public long size(SystemCalls calls) throws FileFailure {
        FileStat stat = new FileStat();
        FileFailure.check(calls.stat(place, "", stat));
        if (stat.type() != FileType.REGULAR) {
            throw new FileFailure(stat.type() == FileType.DIRECTORY ? Status.ISDIR : Status.INVAL);
        }
        return stat.size();
    }

    private int open(SystemCalls calls, int flags) {
        return calls.open(
                SystemCalls.CURRENT_FOLDER,
                SystemCalls.descriptorPath(place),
                flags | SystemCalls.O_NONBLOCK,
                0);
    }

    private static boolean isRefusal(int result) {
        return result == -Errno.EACCES
                || result == -Errno.EPERM
                || result == -Errno.EROFS
                || result == -Errno.ETXTBSY;
    }

    synchronized void close(SystemCalls calls) {
        calls.close(place);
        if (forReading != CLOSED && forReading != place) {
            calls.close(forReading);
        }
        if (forWriting != CLOSED && forWriting != forReading && forWriting != place) {
            calls.close(forWriting);
        }
    }
}
