package org.jbmi.zbmi.engine;

/**
 * What a peer did that the protocol does not allow. Each is counted, logged, and named to people.
 */
public enum Fault {
    /** Nothing is wrong. */
    NONE(false, "nothing is wrong"),
    /** A lane holds what no peer may have written. */
    BROKEN_LANE(true, "its lane is corrupt"),
    /** It leaves so much unread that no more can be kept for it. */
    BACKLOG(true, "it does not read what it is sent"),
    /** A kind or a length that no message has. */
    MALFORMED(true, "it sent a message of unknown kind or wrong length"),
    /** A size, timeout or class that is out of all bounds. */
    BAD_VALUE(true, "it sent a value that is out of bounds"),
    /** A call without correlation. */
    NO_CORRELATION(true, "it sent a call without correlation"),
    /** An eager slot that it does not have, or too many bytes for one. */
    BAD_EAGER_SLOT(true, "it named an eager slot that it does not have"),
    /** A transfer has ended that was not under way, or with other bytes than were granted. */
    BAD_DONE(true, "it ended a transfer that was not granted so"),
    /** A window word that neither side can have written. */
    BAD_WINDOW(true, "it wrote nonsense into a window"),
    /** A list in the segment that was sound when it was posted is not any more. */
    BAD_LIST(false, "it changed a list while it was in use"),
    /** Memory given back that was not lent. */
    BAD_FREE(false, "it gave back memory of an unexpected message that it does not hold"),
    /** A receive without an answer whose name no operation may have, or has already. */
    BAD_REFERENCE(true, "it named an operation out of bounds, or two of them alike"),
    /** A cancel out of turn, or a count of them that nobody can have written. */
    BAD_CANCEL(true, "it miscounted its cancels");

    private final boolean endsSession;
    private final String sentence;

    Fault(boolean endsSession, String sentence) {
        this.endsSession = endsSession;
        this.sentence = sentence;
    }

    /** Whether the peer must go; otherwise it is counted and logged only. */
    public boolean endsSession() {
        return endsSession;
    }

    /** What the peer did, for people; "it" is the peer. */
    public String sentence() {
        return sentence;
    }
}
