package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;

import java.io.Serial;

/** Ends an operation on a file with a status. It is an answer, so it has no stack trace. */
public final class FileFailure extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /** The status of the reply. */
    private final int status;

    /** Makes a failure that a reply reports with this status. */
    public FileFailure(int status) {
        super(Status.text(status), null, false, false);
        this.status = status;
    }

    /** The status of the reply. */
    public int status() {
        return status;
    }

    /** The failure for the negative result of a system call. */
    static FileFailure of(long negativeErrno) {
        return new FileFailure(status(negativeErrno));
    }

    /** A result of 0 or more, or the failure for an error number. */
    static int check(int result) throws FileFailure {
        if (result < 0) {
            throw of(result);
        }
        return result;
    }

    /**
     * The status for the negative result of a system call. EINVAL, and a number that zoidfs does
     * not have, become OTHER.
     */
    public static int status(long negativeErrno) {
        return switch ((int) -negativeErrno) {
            case 0 -> Status.OK;
            case Errno.EPERM -> Status.PERM;
            case Errno.ENOENT -> Status.NOENT;
            case Errno.EIO -> Status.IO;
            case Errno.ENXIO -> Status.NXIO;
            case Errno.ENOMEM -> Status.NOMEM;
            case Errno.EACCES -> Status.ACCES;
            case Errno.EEXIST -> Status.EXIST;
            case Errno.ENODEV -> Status.NODEV;
            case Errno.ENOTDIR -> Status.NOTDIR;
            case Errno.EISDIR -> Status.ISDIR;
            case Errno.EFBIG -> Status.FBIG;
            case Errno.ENOSPC -> Status.NOSPC;
            case Errno.EROFS -> Status.ROFS;
            case Errno.ENAMETOOLONG -> Status.NAMETOOLONG;
            case Errno.ENOTEMPTY -> Status.NOTEMPTY;
            case Errno.EDQUOT -> Status.DQUOT;
            case Errno.ESTALE -> Status.STALE;
            default -> Status.OTHER;
        };
    }
}
