package org.jbmi.zbmi.link;

import org.jbmi.ErrorCode;
import org.jbmi.spi.WaitPolicy;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;

/**
 * A peer's session with the engine, whatever carries its messages: progress, sleep, and the end.
 *
 * <p>Waiting follows {@link org.jbmi.spi.Waitable}: one thread, the lead, calls {@link
 * #prepareSleep}, {@link #sleep} and {@link #finishSleep}; threads that wait for an answer may
 * sleep at the same time.
 *
 * <p>A broken session stays broken: every call returns that, and {@link #brokenReason} says why.
 */
public interface PeerLine extends AutoCloseable {
    /** A call was answered, or a note was sent. */
    int OK = 1;

    /** The time passed first. */
    int TIMED_OUT = 0;

    /** There was no room for a call in its time: it was not sent, and no reply will come. */
    int NOT_SENT = 2;

    /** There is no room yet: it is kept here, and sent before all later messages. */
    int KEPT = 3;

    /** The session is over: the host is gone, or one side broke the protocol. */
    int BROKEN = -1;

    /**
     * Sets how callers wait for their replies; before that they sleep at once. A channel to another
     * host always lets them sleep.
     */
    default void waitBy(WaitPolicy policy) {}

    /**
     * Dispatches the messages that have come, without waiting. Does nothing while another thread
     * dispatches; once the host has closed the socket, it waits for that thread.
     *
     * @return how many messages were dispatched, or {@link #BROKEN}
     */
    int progress();

    /**
     * Announces that the lead is about to sleep, then polls once more. If it returns true, {@link
     * #finishSleep} must follow.
     *
     * @param inSelector whether the sleep will be elsewhere, perhaps in a selector on {@link
     *     #selectable}, rather than in {@link #sleep}
     * @return false if there is a message, so that it must not sleep
     */
    boolean prepareSleep(boolean inSelector);

    /**
     * Sleeps until a message comes, {@link #wake} is called or the time has passed; may return
     * early for no reason. Not for virtual threads, whose carrier it would hold.
     */
    void sleep(long timeoutNs);

    /**
     * Whether the engine has ended a sleep that {@link #prepareSleep} announced. For a lead that
     * polls in between: the byte that the engine wrote to {@link #selectable} may have been read
     * since, and it writes none again.
     *
     * @return true if nothing more will be written: the sleep is to be finished and announced anew
     */
    default boolean isSleepOver() {
        return false;
    }

    /** Withdraws the announcement of {@link #prepareSleep}, and drains {@link #selectable}. */
    void finishSleep();

    /**
     * Ends the sleep of all threads of this process on this channel, or prevents the next one. Any
     * thread.
     */
    void wake();

    /**
     * Becomes readable when a thread that sleeps in a selector must wake, or when the host has
     * ended.
     *
     * @return null if another thread serves the channel while the lead is in a selector
     */
    @Nullable SelectableChannel selectable();

    /**
     * Why the channel is broken.
     *
     * @return a sentence, or null while it is whole
     */
    @Nullable String brokenReason();

    /**
     * The code that operations end with while the channel is broken.
     *
     * @return {@link ErrorCode#EPIPE} if the server, which hosted the engine, has closed normally,
     *     otherwise {@link ErrorCode#EHOSTDOWN}
     */
    default ErrorCode brokenCode() {
        return ErrorCode.EHOSTDOWN;
    }

    /**
     * Ends the session because something failed in this process, for example since the heap is
     * full, and its state is unknown. The other side sees that this one has gone. Any thread; never
     * waits.
     *
     * @param reason a sentence, the {@link #brokenReason} from now on
     */
    void end(String reason);

    /** Says goodbye and releases the segment and the socket. No thread may be inside any more. */
    @Override
    void close();

    /**
     * The same, with a limit on the wait for a thread of its own.
     *
     * @param mostNs longest wait; that thread releases what it uses when it ends
     */
    default void close(long mostNs) {
        close();
    }

    /** Requests and events of a line for its owner, besides messages. */
    interface Events {
        /**
         * Called repeatedly, with no lock held, by threads that wait inside a call. It does work
         * that is not allowed during dispatch, so that the work does not wait for their answers. It
         * may send notes, but make no calls.
         */
        default void afterDispatch() {}

        /**
         * The lead, which sleeps elsewhere, must poll, and nothing it waits for will wake it.
         * Another thread has read the wake-up byte, or there is something to write. Called by any
         * thread inside, perhaps under a lock of the line.
         */
        default void onLeadWanted() {}

        /**
         * The session has ended without being closed. Called once, by any thread inside the line,
         * perhaps while another thread dispatches.
         */
        void onBroken(String reason);
    }
}
