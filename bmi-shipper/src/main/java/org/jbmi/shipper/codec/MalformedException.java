package org.jbmi.shipper.codec;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.io.Serial;

/** Bytes that are not those of the value that was to be read from them. */
public final class MalformedException extends BmiException {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * Makes an exception with the code {@link ErrorCode#EBADMSG}.
     *
     * @param message what is wrong, and where
     */
    public MalformedException(String message) {
        super(ErrorCode.EBADMSG, message);
    }

    /**
     * Makes an exception with the code {@link ErrorCode#EBADMSG}.
     *
     * @param message what is wrong
     * @param cause what refused it
     */
    public MalformedException(String message, Throwable cause) {
        super(ErrorCode.EBADMSG, message, cause);
    }
}
