package org.jbmi.mempool;

import java.io.Serial;

/**
 * A segment could not be created, opened or closed. The message is a sentence for whoever runs the
 * program; the kind is for the program.
 */
public final class SegmentException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** What went wrong. */
    private final Kind kind;

    /** What went wrong. */
    public enum Kind {
        /** No native calls here, so no segments; nothing can be done at run time. */
        UNAVAILABLE,
        /** The file to create is there already; sweep, or take another name. */
        EXISTS,
        /** The file system has not so much room; ask for less, or give it more. */
        NO_SPACE,
        /** There is no such file; its owner is not there yet, or not any more. */
        NOT_FOUND,
        /** The file is another user's, or others may write to it: not to be trusted. */
        FOREIGN,
        /** Not a segment, or one of another version, or a damaged one. */
        MALFORMED,
        /** A mapping is still used by a native call; close again later. */
        BUSY,
        /** The system refused for another reason, which is the cause. */
        IO
    }

    /**
     * An exception of some kind.
     *
     * @param kind what went wrong
     * @param message a whole sentence part, with the file and the numbers
     */
    public SegmentException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /**
     * An exception with a cause.
     *
     * @param kind what went wrong
     * @param message a whole sentence part, with the file and the numbers
     * @param cause what the system said
     */
    public SegmentException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /**
     * What went wrong.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }
}
