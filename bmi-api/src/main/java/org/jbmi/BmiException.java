package org.jbmi;

import java.io.Serial;

/**
 * A call that could not be carried out: wrong use, or a cold call (open, look up, set an option)
 * that failed. Sends and receives report what happens to them as values, see {@link PostResult} and
 * {@link Completions}; they throw only where the program is at fault.
 */
public class BmiException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** The error number, never null. */
    private final ErrorCode code;

    /**
     * Makes an exception.
     *
     * @param code the error number
     * @param message one sentence that says what happened and what to do
     */
    public BmiException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    /**
     * Makes an exception with a cause.
     *
     * @param code the error number
     * @param message one sentence that says what happened and what to do
     * @param cause what lies below it
     */
    public BmiException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * The error number.
     *
     * @return the code that the C library reports in the same situation
     */
    public ErrorCode code() {
        return code;
    }
}
