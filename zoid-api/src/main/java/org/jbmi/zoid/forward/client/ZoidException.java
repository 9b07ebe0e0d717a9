package org.jbmi.zoid.forward.client;

import java.io.Serial;

/** A forwarded call that failed in the forwarding layer. */
public final class ZoidException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** What went wrong. */
    private final ZoidError error;

    /** By how much something was too large. */
    private final long excessBytes;

    /**
     * Makes an exception.
     *
     * @param error what went wrong
     * @param excessBytes by how many bytes a message was too large, if it was
     * @param message one sentence
     */
    public ZoidException(ZoidError error, long excessBytes, String message) {
        super(error + ": " + message);
        this.error = error;
        this.excessBytes = excessBytes;
    }

    /**
     * What went wrong.
     *
     * @return the error
     */
    public ZoidError error() {
        return error;
    }

    /**
     * By how much a message was too large.
     *
     * @return bytes; 0 unless the error is {@link ZoidError#E2BIG}
     */
    public long excessiveSize() {
        return excessBytes;
    }
}
