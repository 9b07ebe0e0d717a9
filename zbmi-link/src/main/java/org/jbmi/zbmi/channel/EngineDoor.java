package org.jbmi.zbmi.channel;

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
     * @param mostNs longest wait for a thread of its own; that thread releases what it uses when it
     *     ends
     */
    void close(long mostNs);
}
