package org.jbmi.zbmi.socket;

import java.io.IOException;

/** A violation of the link's protocol by the other side; the message describes it, as "it ...". */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String kind;

    /** Makes one. */
    public FrameException(String message) {
        this(message, message);
    }

    /**
     * Makes one whose message holds something that the other side sent, which its kind does not.
     */
    FrameException(String message, String kind) {
        super(message);
        this.kind = kind;
    }

    /** What it is, as "it ...", in a text that is the same each time. */
    public String kind() {
        return kind;
    }
}
