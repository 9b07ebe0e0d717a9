package org.jbmi.zbmi.channel;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;

/**
 * A server's access to its engine: an engine in this process is called, a remote one gets messages.
 * The engine's events go to the {@link DoorEvents} that the door was opened with. Any number of
 * threads may call it at a time.
 */
public interface EngineDoor {
    /** For {@link #post}: does not wait for the answer. */
    long WITHOUT_WAITING = 0;

    /** {@link #sendAtOnce}: nothing was done. */
    int NOT_AT_ONCE = 0;

    /** {@link #sendAtOnce}: the client has the message. */
    int SENT = 1;

    /** {@link #sendAtOnce}: {@link DoorEvents#inDoubt} has made it a registered operation. */
    int IN_DOUBT = 2;

    /** {@link #sendAtOnce}: the client may have the message or not, and nothing will tell. */
    int UNDECIDED = 3;

    /**
     * Progress, sleep and the end of the session.
     *
     * @return constant
     */
    PeerLine line();

    /**
     * Posts.
     *
     * @param post the post; the caller must not use it until this returns, and it has the answer
     *     then if there is one
     * @param timeoutNs longest wait for the answer, or {@link #WITHOUT_WAITING}
     * @return {@link PeerLine#OK}: answered; {@link PeerLine#TIMED_OUT}: sent, and the answer comes
     *     as an event; {@link PeerLine#NOT_SENT}; or {@link PeerLine#BROKEN}
     */
    int post(ServerPost post, long timeoutNs);

    /**
     * Sends a message that needs no operation, because a receive waits for it and it is short
     * enough for a data slot. At any time: once the door is closed it does nothing, and touches no
     * memory.
     *
     * @param session of the client
     * @param generation of that session
     * @param tag of the message
     * @param offset where it lies in the segment
     * @param bytes how many
     * @param operation for {@link DoorEvents#inDoubt}
     * @return {@link #NOT_AT_ONCE}, as always by default: it must be posted; {@link #SENT}, {@link
     *     #IN_DOUBT} or {@link #UNDECIDED}
     */
    default int sendAtOnce(
            int session, int generation, int tag, long offset, long bytes, Operation operation) {
        return NOT_AT_ONCE;
    }

    /**
     * Cancels a registered operation.
     *
     * @param reference the server's name of it
     * @param zoidId the engine's
     * @param mayWait whether to wait for an answer that is not there at once, for a moment
     * @return {@link ServerEvents#CANCELLED}, {@link ServerEvents#UNKNOWN} or {@link
     *     ServerEvents#REQUESTED}; after the last the outcome comes as an event
     */
    int cancel(long reference, long zoidId, boolean mayWait);

    /**
     * Whether every cancel is answered at once, so that it may be repeated.
     *
     * @return constant
     */
    boolean answersAtOnce();

    /**
     * Frees the memory of an unexpected message. At any time: once the door is closed it does
     * nothing, and touches no memory.
     *
     * @param offset where it lies in the segment
     */
    void unexpectedFree(long offset);

    /**
     * Takes note of freed memory of an unexpected message that a later call will free anyway. One
     * thread at a time; takes no lock and touches no memory of the segment.
     *
     * @param offset where it lies in the segment
     * @return false if nothing was done and {@link #unexpectedFree} must be called
     */
    default boolean unexpectedFreedSoon(long offset) {
        return false;
    }

    /**
     * Makes progress, like {@link PeerLine#progress} of its line, but at any time: once the door is
     * closed it does nothing, and touches no memory.
     *
     * @return how much was done, or {@link PeerLine#BROKEN}
     */
    int progress();

    /**
     * Says goodbye: the engine ends all operations of this server; waits for its answer.
     *
     * @param timeoutNs longest wait
     */
    void finish(long timeoutNs);

    /**
     * Closes it and its line. No thread may be in it, except in {@link #progress} and {@link
     * #unexpectedFree}, which have ended when this returns.
     *
     * @param mostNs longest wait for a thread of its own, until that thread begins to release what
     *     it uses. A release that has begun is awaited for some seconds more
     * @throws RuntimeException if that thread has ended, the first failure of its last steps; an
     *     Error likewise
     */
    void close(long mostNs);
}
