package org.jbmi.zbmi.link;

import org.jbmi.ErrorCode;
import org.jbmi.spi.WaitPolicy;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;

/**
 * A peer's session with the engine, whatever it says to it and by whatever way: who makes progress,
 * who sleeps, how it ends.
 *
 * <p>Waiting follows {@link org.jbmi.spi.Waitable}: one thread, the lead, calls {@link
 * #prepareSleep}, {@link #sleep} and {@link #finishSleep}; threads that wait for an answer may
 * sleep at the same time.
 *
 * <p>One that is broken stays broken: every call says so, and {@link #brokenReason} says why.
 */
public interface PeerLine extends AutoCloseable {
    /** A call was answered, or a note was sent. */
    int OK = 1;

    /** The time passed first. */
    int TIMED_OUT = 0;

    /** There was no room for a call in its time: it was not sent, and no reply will come. */
    int NOT_SENT = 2;

    /**
     * There is no room for it yet: it is kept here, and sent before everything that comes later.
     */
    int KEPT = 3;

    /** The session is over: the daemon is gone, or one side broke the protocol. */
    int BROKEN = -1;

    /**
     * Says how callers wait for their replies; before that they sleep at once. A channel whose
     * replies come from far away lets them sleep whatever it is told.
     *
     * @param policy from now on
     */
    default void waitBy(WaitPolicy policy) {}

    /**
     * Dispatches what has come, without waiting. Does nothing while another thread is at it.
     *
     * @return how many messages were dispatched, or {@link #BROKEN}
     */
    int progress();

    /**
     * Says that the lead is about to sleep, then looks once more. If it returns true, {@link
     * #finishSleep} must follow.
     *
     * @param inSelector whether the sleep will be elsewhere, perhaps in a selector on {@link
     *     #selectable}, rather than in {@link #sleep}
     * @return false if there is something to dispatch, and nobody may sleep
     */
    boolean prepareSleep(boolean inSelector);

    /**
     * Sleeps until a message comes, {@link #wake} is called or the time has passed; may return
     * early for no reason. Not for virtual threads, whose carrier it would hold.
     *
     * @param timeoutNs longest sleep
     */
    void sleep(long timeoutNs);

    /**
     * Whether the engine has ended a sleep that {@link #prepareSleep} announced. For somebody who
     * goes on in between: what it wrote to {@link #selectable} may have been drained since, and it
     * writes no second time.
     *
     * @return true if nothing more will be written: the sleep is to be finished and announced anew
     */
    default boolean isSleepOver() {
        return false;
    }

    /** Takes back what {@link #prepareSleep} said, and drains {@link #selectable}. */
    void finishSleep();

    /**
     * Ends the sleep of all threads of this process on this channel, or the next one. Any thread.
     */
    void wake();

    /**
     * Becomes readable when somebody who sleeps in a selector must wake, or when the daemon is
     * gone.
     *
     * @return null if another thread looks after the channel while the lead is in a selector
     */
    @Nullable SelectableChannel selectable();

    /**
     * Why the channel is broken.
     *
     * @return a sentence, or null while it is whole
     */
    @Nullable String brokenReason();

    /**
     * With what operations end while the channel is broken.
     *
     * @return {@link ErrorCode#EPIPE} if the server, which hosted the engine, has closed in good
     *     order, otherwise {@link ErrorCode#EHOSTDOWN}
     */
    default ErrorCode brokenCode() {
        return ErrorCode.EHOSTDOWN;
    }

    /**
     * Ends the session for a reason of this process's own: something failed in the middle of it, as
     * where the heap is full, and what was in hand is not known any more. The other side sees that
     * this one has gone. Any thread; never waits.
     *
     * @param reason a sentence, the {@link #brokenReason} from now on
     */
    void end(String reason);

    /** Says goodbye and lets go of the segment and the socket. No thread may be inside any more. */
    @Override
    void close();

    /**
     * The same, without waiting longer than this for a thread of its own.
     *
     * @param mostNs longest wait; what that thread still uses goes when it ends
     */
    default void close(long mostNs) {
        close();
    }
}
