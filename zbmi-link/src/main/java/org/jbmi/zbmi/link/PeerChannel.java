package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * A peer's end of a session with messages: calls with replies, notes without, and events of the
 * engine. Any number of threads may call at a time; each gets its own reply.
 *
 * <p>A thread in {@link #progress} or {@link #call} dispatches messages, one thread at a time, in
 * the engine's order. A reply goes to its caller. Every other message goes to the {@link
 * PeerEvents} of the channel.
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
     * @return {@link #OK}, {@link #TIMED_OUT}: not sent, or {@link #BROKEN}
     */
    int note(Message note, long timeoutNs);

    /**
     * Sends a note that must be delivered, without waiting. A note without room is kept, in order,
     * and sent before later messages by the next thread that finds room. A channel with too many
     * kept notes is broken.
     *
     * @param note copied
     * @return {@link #OK}, {@link #KEPT} or {@link #BROKEN}
     */
    int tell(Message note);

    /** Whether notes are kept for which {@link #tell} found no room. Any thread may call this. */
    boolean hasUnsaid();
}
