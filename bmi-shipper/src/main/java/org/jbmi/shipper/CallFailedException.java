package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.io.Serial;

/** A call failed, or is not over yet; {@link #code()} tells which. */
public final class CallFailedException extends BmiException {
    @Serial private static final long serialVersionUID = 1L;

    /** Whether the server said so. */
    private final boolean remote;

    private final String why;

    /**
     * Makes an exception.
     *
     * @param code what happened
     * @param message one sentence
     * @param remote whether the error came from the server
     */
    public CallFailedException(ErrorCode code, String message, boolean remote) {
        super(code, message);
        this.remote = remote;
        this.why = message;
    }

    CallFailedException(ErrorCode code, String function, String why, boolean remote) {
        super(code, "Call of " + function + ": " + why);
        this.remote = remote;
        this.why = why;
    }

    /**
     * What happened, without the name of the function: for a user who does not know of functions.
     *
     * @return the message, or its end
     */
    public String why() {
        return why;
    }

    /**
     * Whether the error is the server's answer.
     *
     * @return false if the client detected it
     */
    public boolean isRemote() {
        return remote;
    }
}
