package org.jbmi.zbmi.engine.port;

import org.jspecify.annotations.Nullable;

/** A violation of the protocol by a peer. Each is counted and logged. */
public enum Fault {
    /** No fault. */
    NONE(false, "nothing is wrong"),
    /** A lane holds values that no peer may have written. */
    BROKEN_LANE(true, "its lane is corrupt"),
    /** More messages to it are unread than can be kept, by the limit or for want of memory. */
    BACKLOG(true, "more is unread than can be kept for it"),
    /** A kind or a length that no message has. */
    MALFORMED(true, "it sent a message of unknown kind or wrong length"),
    /** A size, timeout or class out of bounds. */
    BAD_VALUE(true, "it sent a value that is out of bounds"),
    /** A call without correlation. */
    NO_CORRELATION(true, "it sent a call without correlation"),
    /** An eager slot that does not exist, or too many bytes for one. */
    BAD_EAGER_SLOT(true, "it named an eager slot that it does not have"),
    /** The end of a transfer that was not under way, or with another number of bytes. */
    BAD_DONE(true, "it ended a transfer that was not granted so"),
    /** A window word that neither side can have written. */
    BAD_WINDOW(true, "it wrote nonsense into a window"),
    /** A list in the segment that was valid when it was posted has changed. */
    BAD_LIST(false, "it changed a list while it was in use"),
    /** A free of memory that was not lent. */
    BAD_FREE(false, "it gave back memory of an unexpected message that it does not hold"),
    /** A receive without an answer whose name no operation may have, or has already. */
    BAD_REFERENCE(true, "it named an operation out of bounds, or two of them alike"),
    /** Messages whose sends are over, while the engine keeps none. */
    TOO_MANY_KEPT(true, "it sent messages that nobody said would be kept"),
    /** A cancel out of order. */
    BAD_CANCEL(true, "it miscounted its cancels"),
    /** An impossible count of data slots that it has given back. */
    BAD_DATA_SLOTS(true, "it gave back data slots that it did not have");

    private final boolean endsSession;
    private final String sentence;

    Fault(boolean endsSession, String sentence) {
        this.endsSession = endsSession;
        this.sentence = sentence;
    }

    /** Whether the session ends; otherwise the fault is counted and logged only. */
    public boolean endsSession() {
        return endsSession;
    }

    /**
     * A sentence for logs.
     *
     * @param isServer whose fault it is
     * @param detail what else is known of it; null for nothing
     */
    public String text(boolean isServer, @Nullable String detail) {
        String who = isServer ? "The server" : "A client";
        String end = detail == null ? "." : " (" + detail + ").";
        return who + " broke the protocol: " + sentence + end;
    }
}
