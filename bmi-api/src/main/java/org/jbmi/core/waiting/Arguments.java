package org.jbmi.core.waiting;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/** Makes exceptions for bad arguments. */
public final class Arguments {
    private Arguments() {}

    /** An exception with EINVAL. */
    public static BmiException invalid(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }
}
