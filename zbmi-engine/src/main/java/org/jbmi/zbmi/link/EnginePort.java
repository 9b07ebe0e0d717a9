package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * The engine's end of one session's conversation. All methods are for the engine thread alone; none
 * waits and none allocates, except that the backlog grows to what the session once needed.
 */
public interface EnginePort {
    /** A message was received. */
    int RECEIVED = 1;

    /** There is none. */
    int EMPTY = 0;

    /** The session must end: the peer broke the protocol, or nothing can be sent to it. */
    int BROKEN = -1;

    /** {@link #signal}: nobody sleeps, or whoever slept is awake now. */
    int SIGNALLED = 0;

    /** {@link #signal}: the peer sleeps in a selector; a byte on its socket is needed. */
    int NEEDS_BYTE = 1;

    /**
     * Takes the next message of the peer.
     *
     * @param into becomes the message
     * @return {@link #RECEIVED}, {@link #EMPTY} or {@link #BROKEN}
     */
    int poll(Message into);

    /**
     * Sends a message, at once or, if there is no room, as soon as there is. A session that was
     * sent something has to be flushed, or let go cold, again: only then does its peer ring for
     * room.
     *
     * @param message copied
     * @return false if the peer leaves so much unread that its session must end
     */
    boolean send(Message message);

    /**
     * Publishes a message if nothing waits before it and there is room.
     *
     * @param message copied
     * @return whether it is published; if not, nothing was done
     */
    default boolean publish(Message message) {
        return false;
    }

    /**
     * Sends what had to wait for room.
     *
     * @return how many messages went
     */
    int flush();

    /**
     * Wakes the peer if it sleeps and anything was sent since the last call.
     *
     * @return {@link #SIGNALLED} or {@link #NEEDS_BYTE}
     */
    int signal();

    /**
     * Whether the peer has heard of all but {@link ClientEvents#mayComeLate news that may come
     * late}, so that {@link #signal} may be put off for a moment.
     *
     * @return false also if there is no news
     */
    default boolean hasLateEventsOnly() {
        return false;
    }

    /**
     * Says that the engine will not look here again unless the doorbell rings, then looks once
     * more.
     *
     * @return false if there is a message to poll, or room for the backlog: look again
     */
    boolean goCold();

    /**
     * What is wrong.
     *
     * @return a sentence, or null while nothing is
     */
    @Nullable String brokenReason();

    /** Lets go of what carries the messages, if that is not the segment. Nothing may follow. */
    default void close() {}
}
