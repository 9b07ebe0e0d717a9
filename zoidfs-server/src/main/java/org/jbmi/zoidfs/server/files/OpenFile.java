package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.FileSystemKind;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

/**
 * A file with its descriptors: one opened with O_PATH, and from the first need on one for its
 * content. {@link OpenFiles} closes it when it has no users.
 */
public final class OpenFile {
    private static final int CLOSED = -1;
    private static final long MS_PER_SECOND = 1_000;

    /** The table with the files that may be closed if descriptors lack. */
    private final OpenFiles table;

    final FileHandle handle;

    /** A descriptor opened with O_PATH: for attributes and as a directory, not for content. */
    final int place;

    /** With {@link #inode} the identity of the file. */
    final long device;

    final long inode;

    /** Guarded by the table's lock. */
    int users;

    /** Whether the last user closes it; guarded by the table's lock. */
    boolean closesWhenUnused;

    /** The next one to close, once it is in no table. */
    @Nullable OpenFile behind;

    /** The round of the table in which it was last used; guarded by the table's lock. */
    long usedInRound;

    /** The generation of {@link BeneathCheck}, its owner, in which it is known to be beneath. */
    long knownInGeneration;

    /** How often {@link BeneathCheck}, its owner, has asked the system for its path since. */
    int questions;

    private final FileSystemKind kind;
    private final boolean readOnly;

    /** Set once, under this object's lock; other threads read it without the lock. */
    private volatile int forReading = CLOSED;

    private int forWriting = CLOSED;

    OpenFile(
            OpenFiles table,
            FileHandle handle,
            int place,
            FileStat stat,
            FileSystemKind kind,
            boolean readOnly) {
        this.table = table;
        this.handle = handle;
        this.place = place;
        this.device = stat.device();
        this.inode = stat.inode();
        this.kind = kind;
        this.readOnly = readOnly;
    }

    /** A new file, with one descriptor for everything. */
    static OpenFile made(
            OpenFiles table, FileHandle handle, int file, FileStat stat, FileSystemKind kind) {
        OpenFile made = new OpenFile(table, handle, file, stat, kind, false);
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
            // One descriptor serves both, unless there is already one for reading.
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

    /** A descriptor of the content, for calls that need the right to read or to write. */
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

    /** Whether the system returns its attributes without waiting. */
    boolean isLocal() {
        return kind != FileSystemKind.REMOTE_OR_UNKNOWN;
    }

    /**
     * A descriptor for reads of cached bytes that change nothing on the disk, or a number below 0
     * if there is none.
     */
    public int contentAtOnce(FileStat stat) {
        boolean changesNothing =
                switch (kind) {
                    case REMOTE_OR_UNKNOWN, LOCAL_STRICTATIME -> false;
                    case LOCAL_RELATIME ->
                            stat.readTimeStays(System.currentTimeMillis() / MS_PER_SECOND);
                    case LOCAL_NOATIME -> true;
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
        return table.withFreeDescriptors(
                calls,
                () ->
                        calls.open(
                                SystemCalls.CURRENT_FOLDER,
                                SystemCalls.descriptorPath(place),
                                flags | SystemCalls.O_NONBLOCK,
                                0));
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
