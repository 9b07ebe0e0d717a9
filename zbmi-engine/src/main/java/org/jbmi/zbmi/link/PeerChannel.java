package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * A peer's end of its conversation with the engine: calls with replies, notes without, and events
 * that come by themselves. Any number of threads may call at a time; each gets its own reply.
 *
 * <p>Messages are dispatched by whoever is inside {@link #progress} or {@link #call}, one thread at
 * a time, in the order in which the engine sent them: replies to their callers, all else to the
 * {@link PeerEvents} that the channel was opened with.
 */
public interface PeerChannel extends PeerLine {
    /**
     * Sends a request and waits for its reply.
     *
     * @param request to send; its first word, the correlation, is filled in here
     * @param reply becomes the reply; may be the same object as the request
     * @param timeoutNs longest wait; a reply that comes later goes to {@link PeerEvents#onEvent}
     * @return {@link #OK}, {@link #TIMED_OUT}, {@link #NOT_SENT} or {@link #BROKEN}
     */
    int call(Message request, Message reply, long timeoutNs);

    /**
     * Sends a message that is no call. A correlation in it that is to come back must be negative,
     * so that it is no call's; its reply goes to {@link PeerEvents#onEvent}.
     *
     * @param note to send
     * @param timeoutNs longest wait for room
     * @return {@link #OK}, {@link #TIMED_OUT}: not sent, or {@link #BROKEN}
     */
    int note(Message note, long timeoutNs);

    /**
     * Sends a note that must be heard, without waiting. What there is no room for is kept in order,
     * and is sent first when anybody of this process comes into the channel and finds room. A
     * channel that was told more than its peer can be owed is broken.
     *
     * @param note copied
     * @return {@link #OK}, {@link #KEPT} or {@link #BROKEN}
     */
    int tell(Message note);

    /** Whether notes are kept that {@link #tell} found no room for. Any thread. */
    boolean hasUnsaid();
}
