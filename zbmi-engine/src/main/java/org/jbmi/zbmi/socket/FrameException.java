package org.jbmi.zbmi.socket;

import java.io.IOException;

/** The other side of a link sent what it may not; the message says what, as "it ...". */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public FrameException(String message) {
        super(message);
    }
}
