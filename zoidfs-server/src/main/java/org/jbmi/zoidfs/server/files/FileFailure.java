package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;

import java.io.Serial;

/** An operation on a file that ends with a status. Without a stack trace: it is an answer. */
public final class FileFailure extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /** What the reply says. */
    private final int status;

    /** Makes the failure that a reply of this status tells. */
    public FileFailure(int status) {
        super(Status.text(status), null, false, false);
        this.status = status;
    }

    /** What the reply says. */
    public int status() {
        return status;
    }

    /** The failure for what a system call returned. */
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

    /** The status for what a system call returned; numbers of which zoidfs knows none are OTHER. */
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
