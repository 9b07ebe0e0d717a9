package org.jbmi.core.waiting;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedFilter;

/** Refuses bad arguments. */
public final class Arguments {
    private Arguments() {}

    public static void checkClass(int messageClass) {
        if (messageClass < 0 || messageClass > UnexpectedFilter.MAX_CLASS) {
            throw invalid("Message classes go from 0 to 255, not " + messageClass + ".");
        }
    }

    /** An exception with EINVAL. */
    public static BmiException invalid(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }
}
