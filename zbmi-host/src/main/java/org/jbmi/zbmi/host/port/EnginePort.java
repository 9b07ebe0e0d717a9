package org.jbmi.zbmi.host.port;

import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * The engine's end of one session. Only the engine's thread calls these methods. None waits. None
 * allocates, except when the backlog grows or is searched for void offers.
 */
public interface EnginePort {
    /** A message was received. */
    int RECEIVED = 1;

    /** There is no message. */
    int EMPTY = 0;

    /** The session must end: the peer broke the protocol, or no message can be sent to it. */
    int BROKEN = -1;

    /** {@link #signal}: no thread sleeps, or the sleeping ones were woken. */
    int SIGNALLED = 0;

    /** {@link #signal}: the peer sleeps in a selector; a byte on its socket is needed. */
    int NEEDS_BYTE = 1;

    /**
     * Takes the next message of the peer.
     *
     * @return {@link #RECEIVED}, {@link #EMPTY} or {@link #BROKEN}
     */
    int poll(Message into);

    /**
     * Sends a message, at once or, if there is no room, as soon as there is. After that the session
     * has to be flushed, or made cold again: only then does its peer ring when there is room.
     *
     * @param message copied
     * @return false, once, if the peer leaves so much unread that its session must end; nothing is
     *     received from it or sent to it after that
     */
    boolean send(Message message);

    /** Whether no message waits, and there is room for the next. */
    default boolean mayPublish() {
        return false;
    }

    /**
     * Publishes a message if no message waits before it and there is room, and orders it before
     * whatever the engine reads next.
     *
     * @param message copied
     * @return whether it is published; if not, nothing was done
     */
    default boolean publish(Message message) {
        return false;
    }

    /** Sends messages that had to wait for room. */
    int flush();

    /** The peer sees now what is counted for it, unless something said earlier waits for room. */
    default void settle() {}

    /**
     * Wakes the peer if it sleeps and anything was sent since the last call.
     *
     * @return {@link #SIGNALLED} or {@link #NEEDS_BYTE}
     */
    int signal();

    /**
     * Whether all events that the peer was not woken for are ones that {@link
     * ClientEvents#mayComeLate may come late}, so that {@link #signal} may be put off.
     *
     * @return false also if there are none
     */
    default boolean hasLateEventsOnly() {
        return false;
    }

    /**
     * Announces that the engine will not poll here again until the doorbell rings, then polls once
     * more.
     *
     * @return false if there is a message to poll, or room for the backlog: poll again
     */
    boolean goCold();

    /**
     * What is wrong with the session.
     *
     * @return a sentence, or null while it is whole
     */
    @Nullable String brokenReason();

    /** Releases what carries the messages, if that is not the segment. No call may follow. */
    default void close() {}

    /**
     * The same at the end of the host, which may then wait for a limited time. What another thread
     * is still making for the port must go before the process does.
     */
    default void closeAtEnd() {
        close();
    }
}
