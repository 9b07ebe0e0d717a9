package org.jbmi.zoidfs.client;

import org.jbmi.zoidfs.protocol.Status;

import java.io.IOException;
import java.io.Serial;

/** Says that the server refused an operation, or that no answer came. */
public final class ZoidfsException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    /** The server's number. */
    private final int status;

    /** The server's answer; {@code what} names the call. */
    public ZoidfsException(int status, String what) {
        super(what + ": " + Status.text(status));
        this.status = status;
    }

    /**
     * A failure of the client; the status is OTHER, TIMEOUT, or XDR for a reply that cannot be
     * read.
     */
    public ZoidfsException(int status, String sentence, Throwable cause) {
        super(sentence, cause);
        this.status = status;
    }

    /** One of {@link Status}, or a number that only the server knows. */
    public int status() {
        return status;
    }
}
