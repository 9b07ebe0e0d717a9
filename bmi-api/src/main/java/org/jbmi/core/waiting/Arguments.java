package org.jbmi.core.waiting;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/** The refusal of an argument. */
public final class Arguments {
    private Arguments() {}

    /** A refusal with EINVAL. */
    public static BmiException invalid(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }
}
