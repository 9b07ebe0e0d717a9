package org.jbmi.core.waiting;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/** Refuses bad arguments. */
public final class Arguments {
    private Arguments() {}

    /** The refusal of a message class that is none. */
    public static BmiException badClass(int messageClass) {
        return invalid("Message classes go from 0 to 255, not " + messageClass + ".");
    }

    /** An exception with EINVAL. */
    public static BmiException invalid(String sentence) {
        return new BmiException(ErrorCode.EINVAL, sentence);
    }
}
