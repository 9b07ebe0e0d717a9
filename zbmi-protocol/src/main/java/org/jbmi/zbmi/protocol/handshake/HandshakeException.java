package org.jbmi.zbmi.protocol.handshake;

import java.io.IOException;

/** A frame that violates the protocol; the message says how. */
public class HandshakeException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public HandshakeException(String message) {
        super("not a zbmi handshake: " + message);
    }
}
