package org.jbmi.zbmi.protocol;

import java.io.IOException;

/** A frame that is not what the protocol allows; the message says in what. */
public class HandshakeException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what is wrong
     */
    public HandshakeException(String message) {
        super("not a zbmi handshake: " + message);
    }
}
