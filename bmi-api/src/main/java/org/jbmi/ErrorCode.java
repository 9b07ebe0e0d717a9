package org.jbmi;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The error numbers of the Buffered Message Interface.
 *
 * <p>The numbers are those of the C library, so that a program can compare and log them, and send
 * them to programs that know it. Each is an errno-like number with bit 7 (the BMI class) and bit 30
 * (the error bit) set. The seven codes that have no errno counterpart have bit 29 set as well.
 * Where this library reports a failure as a number, the number is always {@link #negativeValue()}.
 */
public enum ErrorCode {
    /** No failure: the outcome of an operation that did what was asked. Its value is 0. */
    SUCCESS,
    /** Operation not permitted. */
    EPERM(1, 1),
    /** No such entry. */
    ENOENT(2, 2),
    /** Interrupted. */
    EINTR(3, 4),
    /** Input or output failed. */
    EIO(4, 5),
    /** No such device or address. */
    ENXIO(5, 6),
    /** Bad descriptor. */
    EBADF(6, 9),
    /** Not now; try again. */
    EAGAIN(7, 11),
    /** No memory. */
    ENOMEM(8, 12),
    /** Bad memory address. */
    EFAULT(9, 14),
    /** In use: too many contexts, a block that an operation uses, a second server. */
    EBUSY(10, 16),
    /** Exists already. */
    EEXIST(11, 17),
    /** No such device. */
    ENODEV(12, 19),
    /** Not a directory. */
    ENOTDIR(13, 20),
    /** Is a directory. */
    EISDIR(14, 21),
    /**
     * Wrong argument, or an operation id that is unknown, reported before, or of another context.
     */
    EINVAL(15, 22),
    /** Too many open files. */
    EMFILE(16, 24),
    /** File too large. */
    EFBIG(17, 27),
    /** No space left. */
    ENOSPC(18, 28),
    /** Read-only file system. */
    EROFS(19, 30),
    /** Too many links. */
    EMLINK(20, 31),
    /** The peer closed. */
    EPIPE(21, 32),
    /** Deadlock. */
    EDEADLK(22, 35),
    /** Name too long. */
    ENAMETOOLONG(23, 36),
    /** No locks. */
    ENOLCK(24, 37),
    /** Not implemented by the method. */
    ENOSYS(25, 38),
    /** Not empty. */
    ENOTEMPTY(26, 39),
    /** Too many symbolic links. */
    ELOOP(27, 40),
    /** Would block. */
    EWOULDBLOCK(28, 11),
    /** No such message. */
    ENOMSG(29, 42),
    /** Protocol driver not attached. */
    EUNATCH(30, 49),
    /** Bad request descriptor. */
    EBADR(31, 53),
    /** Deadlock: a second name of {@link #EDEADLK}, with a number of its own. */
    EDEADLOCK(32, 35),
    /** No data. */
    ENODATA(33, 61),
    /** Timer expired. */
    ETIME(34, 62),
    /** Not on a network. */
    ENONET(35, 64),
    /**
     * For the function shipper: the handler of a call threw an exception that is no {@link
     * BmiException}, or one with {@link #EAGAIN} or {@link #EINTR}.
     */
    EREMOTE(36, 66),
    /** Communication failed. */
    ECOMM(37, 70),
    /**
     * The peer was removed or belongs to another instance, or a receive is too small for the
     * message that waits for it.
     */
    EPROTO(38, 71),
    /** A peer broke the protocol. */
    EBADMSG(39, 74),
    /** Value too large. */
    EOVERFLOW(40, 75),
    /** Call should be started again. */
    ERESTART(41, 85),
    /** Message larger than the limit, or larger than the receive that had been posted for it. */
    EMSGSIZE(42, 90),
    /** Wrong protocol type. */
    EPROTOTYPE(43, 91),
    /** No method for this address or option. */
    ENOPROTOOPT(44, 92),
    /** Protocol not supported. */
    EPROTONOSUPPORT(45, 93),
    /** Operation not supported by this side. */
    EOPNOTSUPP(46, 95),
    /** Address in use. */
    EADDRINUSE(47, 98),
    /** Address not available. */
    EADDRNOTAVAIL(48, 99),
    /** The network or the daemon is not available. */
    ENETDOWN(49, 100),
    /** Network unreachable. */
    ENETUNREACH(50, 101),
    /** Network reset. */
    ENETRESET(51, 102),
    /** No room for another operation, client or counter. */
    ENOBUFS(52, 105),
    /** A deadline passed. */
    ETIMEDOUT(53, 110),
    /** Connection refused. */
    ECONNREFUSED(54, 111),
    /** The peer, the server or the daemon died. */
    EHOSTDOWN(55, 112),
    /** Host unreachable. */
    EHOSTUNREACH(56, 113),
    /** Already in progress. */
    EALREADY(57, 114),
    /** Access denied. */
    EACCES(58, 13),
    /** Connection cut off by the peer. */
    ECONNRESET(59, 104),
    /** The operation was cancelled; no byte of its buffer is touched any more. */
    ECANCEL(1),
    /** Device not initialised. */
    EDEVINIT(2),
    /** See the detailed error. */
    EDETAIL(3),
    /** Host not found. */
    EHOSTNTFD(4),
    /** The name has no address. */
    EADDRNTFD(5),
    /** The resolver failed for good. */
    ENORECVR(6),
    /**
     * The resolver failed for now; of the function shipper: it has too much to do. Try again later.
     */
    ETRYAGAIN(7);

    private static final int ERROR_BIT = 0x4000_0000;
    private static final int NON_ERRNO_BIT = 0x2000_0000;
    private static final int BMI_CLASS = 0x80;
    private static final int NUMBER_MASK = 0x7f;
    private static final int MOST_ERRNO = 114;

    private static final List<ErrorCode> ALL = List.of(values());

    /**
     * For each {@link #place}, the index of its code in {@link #ALL}; 0 where there is no code. The
     * first half is for the codes with an errno counterpart, the second half for those without.
     */
    private static final byte[] BY_NUMBER = new byte[2 * (NUMBER_MASK + 1)];

    private static final byte[] BY_ERRNO = new byte[MOST_ERRNO + 1];

    static {
        for (int i = 1; i < ALL.size(); i++) {
            ErrorCode code = ALL.get(i);
            BY_NUMBER[place(code.value)] = (byte) i;
            if (code.errno > 0 && code.isErrnoTranslatedToIt()) {
                BY_ERRNO[code.errno] = (byte) i;
            }
        }
    }

    private final int value;
    private final int errno;

    ErrorCode() {
        this.value = 0;
        this.errno = 0;
    }

    ErrorCode(int number, int errno) {
        this.value = number | BMI_CLASS | ERROR_BIT;
        this.errno = errno;
    }

    ErrorCode(int numberWithoutErrno) {
        this.value = numberWithoutErrno | BMI_CLASS | ERROR_BIT | NON_ERRNO_BIT;
        this.errno = 0;
    }

    /**
     * The positive number, for example {@code 0x4000008a} for {@link #EBUSY}.
     *
     * @return the number with its class and error bits; 0 for {@link #SUCCESS}
     */
    public int value() {
        return value;
    }

    /**
     * The number as results carry it.
     *
     * @return {@code -value()}
     */
    public int negativeValue() {
        return -value;
    }

    /**
     * Whether this is no failure.
     *
     * @return true for {@link #SUCCESS} only
     */
    public boolean isSuccess() {
        return this == SUCCESS;
    }

    /**
     * The number that a system call on Linux reports the same error with.
     *
     * @return a positive {@code errno}; 0 for {@link #SUCCESS} and for the seven codes that have
     *     none
     */
    public int errno() {
        return errno;
    }

    /**
     * Translates what a system call on Linux reported, as the C library does. {@code EAGAIN} and
     * {@code EWOULDBLOCK} are one number on Linux and give {@link #EAGAIN}.
     *
     * @param errno a number of either sign
     * @return the code, or null for 0 and for numbers that the C library does not translate either,
     *     for example {@code ENOTCONN}
     */
    public static @Nullable ErrorCode ofErrno(int errno) {
        int magnitude = Math.abs(errno);
        int index = magnitude >= 0 && magnitude <= MOST_ERRNO ? indexOfErrno(magnitude) : 0;
        return index == 0 ? null : ALL.get(index);
    }

    /**
     * Finds the code of a failure by its number, whichever sign it has.
     *
     * @param number a code as results or C programs carry it
     * @return the code, or null for 0 and for numbers that are none
     */
    public static @Nullable ErrorCode of(long number) {
        long magnitude = Math.abs(number);
        if (magnitude <= 0 || magnitude > Integer.MAX_VALUE) {
            return null;
        }
        ErrorCode code = ALL.get(indexOfPlace(place((int) magnitude)));
        return code.value == magnitude ? code : null;
    }

    /**
     * The outcome that a number stands for.
     *
     * @param number 0, or a code of either sign
     * @return {@link #SUCCESS} for 0, the code of a failure, or {@link #EIO} for a number that is
     *     none
     */
    public static ErrorCode ofOutcome(long number) {
        if (number == 0) {
            return SUCCESS;
        }
        ErrorCode code = of(number);
        return code == null ? EIO : code;
    }

    /**
     * Names a result for people, as the C library's status string does.
     *
     * @param number a code of either sign, or 0
     * @return {@code "BMI_SUCCESS"}, {@code "BMI_EBUSY"} and so on, or {@code "(UNKNOWN)"}
     */
    public static String statusString(long number) {
        ErrorCode code = number == 0 ? SUCCESS : of(number);
        return code == null ? "(UNKNOWN)" : "BMI_" + code.name();
    }

    private static int indexOfErrno(int errno) {
        return BY_ERRNO[errno];
    }

    private static int indexOfPlace(int place) {
        return BY_NUMBER[place];
    }

    private static int place(int value) {
        int number = value & NUMBER_MASK;
        return (value & NON_ERRNO_BIT) == 0 ? number : number + NUMBER_MASK + 1;
    }

    /** The C library has these, but translates no error of the system to them. */
    private boolean isErrnoTranslatedToIt() {
        return switch (this) {
            case EWOULDBLOCK, EUNATCH, EBADR, EDEADLOCK, ENONET, ECOMM, ERESTART -> false;
            default -> true;
        };
    }
}
