package org.jbmi.tcp;

import org.jbmi.ErrorCode;

/** The negative codes that the method reports. */
final class TcpCodes {
    static final int EPIPE = ErrorCode.EPIPE.negativeValue();
    static final int ECONNRESET = ErrorCode.ECONNRESET.negativeValue();
    static final int EBADMSG = ErrorCode.EBADMSG.negativeValue();
    static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    static final int EMSGSIZE = ErrorCode.EMSGSIZE.negativeValue();
    static final int EFAULT = ErrorCode.EFAULT.negativeValue();
    static final int EINVAL = ErrorCode.EINVAL.negativeValue();
    static final int EIO = ErrorCode.EIO.negativeValue();
    static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();
    static final int ETIMEDOUT = ErrorCode.ETIMEDOUT.negativeValue();
    static final int EHOSTNTFD = ErrorCode.EHOSTNTFD.negativeValue();
    static final int EADDRNTFD = ErrorCode.EADDRNTFD.negativeValue();
    static final int ETRYAGAIN = ErrorCode.ETRYAGAIN.negativeValue();
    static final int ENORECVR = ErrorCode.ENORECVR.negativeValue();

    private TcpCodes() {}
}
