package org.jbmi;

import java.io.Serial;

/**
 * A call failed: wrong use, or a failure outside of the hot path (open, look up, set an option).
 * Sends and receives return their failures as values, see {@link PostResult} and {@link
 * Completions}; they throw only for a fault of the program.
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
     * @param cause the cause
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
