package org.jbmi;

import org.jspecify.annotations.Nullable;

/**
 * The error numbers of the Buffered Message Interface.
 *
 * <p>The numbers are those of the C library, so that they can be compared, logged and sent to
 * programs that know it: an errno-like number with bit 7 (the BMI class) and bit 30 (the error bit)
 * set; the seven codes that have no errno counterpart carry bit 29 as well. Every result in this
 * library that reports a failure reports {@link #negativeValue()}: one sign everywhere.
 */
public enum ErrorCode {
    /** Operation not permitted. */
    EPERM(1),
    /** No such entry. */
    ENOENT(2),
    /** Interrupted. */
    EINTR(3),
    /** Input or output failed. */
    EIO(4),
    /** No such device or address. */
    ENXIO(5),
    /** Bad descriptor. */
    EBADF(6),
    /** Not now; try again. */
    EAGAIN(7),
    /** No memory. */
    ENOMEM(8),
    /** Bad memory address. */
    EFAULT(9),
    /** In use: a context too many, a block that an operation holds, a second server. */
    EBUSY(10),
    /** Exists already. */
    EEXIST(11),
    /** No such device. */
    ENODEV(12),
    /** Not a directory. */
    ENOTDIR(13),
    /** Is a directory. */
    EISDIR(14),
    /**
     * Wrong argument, or an operation id that is unknown, reported before, or of another context.
     */
    EINVAL(15),
    /** Too many open files. */
    EMFILE(16),
    /** File too large. */
    EFBIG(17),
    /** No space left. */
    ENOSPC(18),
    /** Read-only file system. */
    EROFS(19),
    /** Too many links. */
    EMLINK(20),
    /** The peer closed. */
    EPIPE(21),
    /** Deadlock. */
    EDEADLK(22),
    /** Name too long. */
    ENAMETOOLONG(23),
    /** No locks. */
    ENOLCK(24),
    /** Not implemented by the method. */
    ENOSYS(25),
    /** Not empty. */
    ENOTEMPTY(26),
    /** Too many symbolic links. */
    ELOOP(27),
    /** Would block. */
    EWOULDBLOCK(28),
    /** No such message. */
    ENOMSG(29),
    /** Protocol driver not attached. */
    EUNATCH(30),
    /** Bad request descriptor. */
    EBADR(31),
    /** Deadlock (second name). */
    EDEADLOCK(32),
    /** No data. */
    ENODATA(33),
    /** Timer expired. */
    ETIME(34),
    /** Not on a network. */
    ENONET(35),
    /** Object is remote. */
    EREMOTE(36),
    /** Communication failed. */
    ECOMM(37),
    /** Unknown address, or a receive too small for the message that waits for it. */
    EPROTO(38),
    /** The stream of a peer is not what the protocol allows. */
    EBADMSG(39),
    /** Value too large. */
    EOVERFLOW(40),
    /** Call should be started again. */
    ERESTART(41),
    /** Message larger than the limit, or larger than the receive that had been posted for it. */
    EMSGSIZE(42),
    /** Wrong protocol type. */
    EPROTOTYPE(43),
    /** No method for this address or option. */
    ENOPROTOOPT(44),
    /** Protocol not supported. */
    EPROTONOSUPPORT(45),
    /** Operation not supported by this side. */
    EOPNOTSUPP(46),
    /** Address in use. */
    EADDRINUSE(47),
    /** Address not available. */
    EADDRNOTAVAIL(48),
    /** The network, or the daemon, is not there. */
    ENETDOWN(49),
    /** Network unreachable. */
    ENETUNREACH(50),
    /** Network reset. */
    ENETRESET(51),
    /** No room for another operation. */
    ENOBUFS(52),
    /** A deadline passed. */
    ETIMEDOUT(53),
    /** Connection refused. */
    ECONNREFUSED(54),
    /** The peer, the server or the daemon died. */
    EHOSTDOWN(55),
    /** Host unreachable. */
    EHOSTUNREACH(56),
    /** Already in progress. */
    EALREADY(57),
    /** Access denied. */
    EACCES(58),
    /** Connection cut off by the peer. */
    ECONNRESET(59),
    /** The operation was cancelled; no byte of its buffer is touched any more. */
    ECANCEL(1, true),
    /** Device not initialised. */
    EDEVINIT(2, true),
    /** See the detailed error. */
    EDETAIL(3, true),
    /** Host not found. */
    EHOSTNTFD(4, true),
    /** The name has no address. */
    EADDRNTFD(5, true),
    /** The resolver failed for good. */
    ENORECVR(6, true),
    /** The resolver failed for now. */
    ETRYAGAIN(7, true);

    private static final int ERROR_BIT = 0x4000_0000;
    private static final int NON_ERRNO_BIT = 0x2000_0000;
    private static final int BMI_CLASS = 0x80;

    private final int value;

    ErrorCode(int number) {
        this(number, false);
    }

    ErrorCode(int number, boolean nonErrno) {
        this.value = number | BMI_CLASS | ERROR_BIT | (nonErrno ? NON_ERRNO_BIT : 0);
    }

    /**
     * The positive number, for example {@code 0x4000008a} for {@link #EBUSY}.
     *
     * @return the number with its class and error bits
     */
    public int value() {
        return value;
    }

    /**
     * The number as results and completions carry it.
     *
     * @return {@code -value()}
     */
    public int negativeValue() {
        return -value;
    }

    /**
     * Finds the code of a number, whichever sign it has.
     *
     * @param number a code as results, completions or C programs carry it
     * @return the code, or null for 0 and for numbers that are none
     */
    public static @Nullable ErrorCode of(long number) {
        long magnitude = Math.abs(number);
        for (ErrorCode code : values()) {
            if (code.value == magnitude) {
                return code;
            }
        }
        return null;
    }

    /**
     * Names a result for people, as the C library's status string does.
     *
     * @param number a code of either sign, or 0
     * @return {@code "BMI_SUCCESS"}, {@code "BMI_EBUSY"} and so on, or {@code "(UNKNOWN)"}
     */
    public static String statusString(long number) {
        if (number == 0) {
            return "BMI_SUCCESS";
        }
        ErrorCode code = of(number);
        return code == null ? "(UNKNOWN)" : "BMI_" + code.name();
    }
}
