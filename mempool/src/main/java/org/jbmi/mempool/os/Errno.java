package org.jbmi.mempool.os;

/** The error numbers of the system calls of this package, with their meanings. */
public final class Errno {
    /** Not permitted. */
    public static final int EPERM = 1;

    /** No such file or directory. */
    public static final int ENOENT = 2;

    /** A signal came in between. */
    public static final int EINTR = 4;

    /** Input or output failed. */
    public static final int EIO = 5;

    /** Not now: for a futex, the word had another value. */
    public static final int EAGAIN = 11;

    /** Out of memory. */
    public static final int ENOMEM = 12;

    /** Not allowed. */
    public static final int EACCES = 13;

    /** A bad address. */
    public static final int EFAULT = 14;

    /** It exists already. */
    public static final int EEXIST = 17;

    /** A bad argument. */
    public static final int EINVAL = 22;

    /** Too many open files. */
    public static final int EMFILE = 24;

    /** The file system does not take files of this size. */
    public static final int EFBIG = 27;

    /** The file system is full. */
    public static final int ENOSPC = 28;

    /** The kernel has no such call. */
    public static final int ENOSYS = 38;

    /** The message is too large. */
    public static final int EMSGSIZE = 90;

    /** The file system has no such operation. */
    public static final int EOPNOTSUPP = 95;

    /** The time has passed. */
    public static final int ETIMEDOUT = 110;

    /** The quota of the user is used up. */
    public static final int EDQUOT = 122;

    private Errno() {}

    /**
     * An error number for a message to a person.
     *
     * @return name and meaning, or the number if it is not known here
     */
    public static String describe(int errno) {
        return switch (errno) {
            case EPERM -> "EPERM, operation not permitted";
            case ENOENT -> "ENOENT, no such file or directory";
            case EINTR -> "EINTR, interrupted by a signal";
            case EIO -> "EIO, input or output failed";
            case EAGAIN -> "EAGAIN, try again";
            case ENOMEM -> "ENOMEM, out of memory";
            case EACCES -> "EACCES, permission denied";
            case EFAULT -> "EFAULT, bad address";
            case EEXIST -> "EEXIST, it exists already";
            case EINVAL -> "EINVAL, invalid argument";
            case EMFILE -> "EMFILE, too many open files";
            case EFBIG -> "EFBIG, file too large";
            case ENOSPC -> "ENOSPC, no space left on device";
            case ENOSYS -> "ENOSYS, not implemented by this kernel";
            case EMSGSIZE -> "EMSGSIZE, message too large";
            case EOPNOTSUPP -> "EOPNOTSUPP, not supported by this file system";
            case ETIMEDOUT -> "ETIMEDOUT, timed out";
            case EDQUOT -> "EDQUOT, disk quota exceeded";
            default -> "errno " + errno;
        };
    }
}
