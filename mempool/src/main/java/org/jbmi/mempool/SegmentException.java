package org.jbmi.mempool;

import java.io.Serial;

/**
 * A segment could not be created, opened or closed. The message is for people; the kind is for the
 * program.
 */
public final class SegmentException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** What went wrong. */
    private final Kind kind;

    /** What went wrong. */
    public enum Kind {
        /** This platform has no native calls, so no segments. */
        UNAVAILABLE,
        /** The file exists already; sweep, or use another name. */
        EXISTS,
        /** The file system has too little room. */
        NO_SPACE,
        /** There is no such file; its owner has not started yet, or has ended. */
        NOT_FOUND,
        /**
         * The file is no regular file, belongs to another user, or its group or others have any
         * access.
         */
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
     * @param message what went wrong for people, as a part of a sentence, with the file and the
     *     numbers
     */
    public SegmentException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /**
     * An exception with a cause.
     *
     * @param kind what went wrong
     * @param message what went wrong for people, as a part of a sentence, with the file and the
     *     numbers
     * @param cause the system's error
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
