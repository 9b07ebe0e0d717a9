package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;

/**
 * The server's way to its engine, wherever that is: an engine in this process is called, one
 * elsewhere is sent messages. What the engine says by itself goes to the {@link DoorEvents} that
 * the door was opened with. Any number of threads may be in it at a time.
 */
public interface EngineDoor {
    /** For {@link #post}: nobody waits for the answer. */
    long WITHOUT_WAITING = 0;

    /**
     * Who makes progress, who sleeps, and how it ends.
     *
     * @return constant
     */
    PeerLine line();

    /**
     * Posts.
     *
     * @param post what; it is the door's until this returns, and has the answer then if there is
     *     one
     * @param timeoutNs longest wait for the answer, or {@link #WITHOUT_WAITING}
     * @return {@link PeerLine#OK}: answered; {@link PeerLine#TIMED_OUT}: heard, and the answer
     *     comes as news; {@link PeerLine#NOT_SENT}; or {@link PeerLine#BROKEN}
     */
    int post(ServerPost post, long timeoutNs);

    /**
     * Cancels a registered operation.
     *
     * @param reference the server's name of it
     * @param zoidId the engine's
     * @param mayWait whether to wait for an answer that is not there at once, for a moment
     * @return {@link ServerEvents#CANCELLED}, {@link ServerEvents#UNKNOWN} or {@link
     *     ServerEvents#REQUESTED}; after the last the outcome comes as news
     */
    int cancel(long reference, long zoidId, boolean mayWait);

    /**
     * Whether every cancel is answered at once, so that it may be asked for again.
     *
     * @return constant
     */
    boolean answersAtOnce();

    /**
     * Gives the memory of an unexpected message back. At any time: once the door is closed it does
     * nothing, and touches no memory that may be gone.
     *
     * @param offset where it lies in the segment
     */
    void unexpectedFree(long offset);

    /**
     * Makes progress, like {@link PeerLine#progress} of its line, but at any time: once the door is
     * closed it does nothing, and touches no memory that may be gone.
     *
     * @return how much was done, or {@link PeerLine#BROKEN}
     */
    int progress();

    /**
     * Tells the engine to forget everything of this server's, and waits until it has.
     *
     * @param timeoutNs longest wait
     */
    void finish(long timeoutNs);

    /**
     * Closes it and its line. Nobody may be in it but for {@link #progress} and {@link
     * #unexpectedFree}, which are through when this returns.
     *
     * @param mostNs longest wait for a thread of its own; what that still uses goes when it ends
     */
    void close(long mostNs);
}
