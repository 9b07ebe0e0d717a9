package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.io.Serial;

/** A call that came to nothing, or that is not over yet; {@link #code()} says which. */
public final class CallFailedException extends BmiException {
    @Serial private static final long serialVersionUID = 1L;

    /** Whether the server said so. */
    private final boolean remote;

    /**
     * Makes an exception.
     *
     * @param code what happened
     * @param message one sentence
     * @param remote whether the server said so
     */
    public CallFailedException(ErrorCode code, String message, boolean remote) {
        super(code, message);
        this.remote = remote;
    }

    /**
     * Whether the server answered with this error.
     *
     * @return false if the client found out by itself
     */
    public boolean isRemote() {
        return remote;
    }
}
