package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.io.Serial;

/** A call failed, or is not over yet; {@link #code()} tells which. */
public final class CallFailedException extends BmiException {
    @Serial private static final long serialVersionUID = 1L;

    /** Whether the server said so. */
    private final boolean remote;

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
