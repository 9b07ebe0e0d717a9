package org.jbmi.zbmi.socket;

import java.io.IOException;

/** A violation of the link's protocol by the other side; the message describes it, as "it ...". */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public FrameException(String message) {
        super(message);
    }
}
