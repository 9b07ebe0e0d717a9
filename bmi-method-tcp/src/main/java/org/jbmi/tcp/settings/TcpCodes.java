package org.jbmi.tcp.settings;

import org.jbmi.ErrorCode;

/** The negative codes that the method reports. */
public final class TcpCodes {
    public static final int EPIPE = ErrorCode.EPIPE.negativeValue();
    public static final int ECONNRESET = ErrorCode.ECONNRESET.negativeValue();
    public static final int EBADMSG = ErrorCode.EBADMSG.negativeValue();
    public static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    public static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    public static final int EMSGSIZE = ErrorCode.EMSGSIZE.negativeValue();
    public static final int EFAULT = ErrorCode.EFAULT.negativeValue();
    public static final int EINVAL = ErrorCode.EINVAL.negativeValue();
    public static final int EBUSY = ErrorCode.EBUSY.negativeValue();
    public static final int EIO = ErrorCode.EIO.negativeValue();
    public static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();
    public static final int ETIMEDOUT = ErrorCode.ETIMEDOUT.negativeValue();
    public static final int EHOSTNTFD = ErrorCode.EHOSTNTFD.negativeValue();
    public static final int EADDRNTFD = ErrorCode.EADDRNTFD.negativeValue();
    public static final int ETRYAGAIN = ErrorCode.ETRYAGAIN.negativeValue();
    public static final int ENORECVR = ErrorCode.ENORECVR.negativeValue();

    private TcpCodes() {}
}
