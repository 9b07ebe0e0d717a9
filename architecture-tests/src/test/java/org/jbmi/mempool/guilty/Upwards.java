package org.jbmi.mempool.guilty;

import org.jbmi.ErrorCode;

/** The pool must not know the API above it. */
public final class Upwards {

    /** What it must not hold. */
    public final ErrorCode code = ErrorCode.valueOf("");
}
