package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * The writing end of one direction of a session, whatever carries it. Used by one thread at a time;
 * allocates nothing; never waits.
 */
public interface MessageSink {
    /** The message was sent. */
    int SENT = 1;

    /** There is no room. */
    int FULL = 0;

    /** The reader's count is impossible, or nothing can be written any more. */
    int BROKEN = -1;

    /**
     * Sends a message.
     *
     * @param message copied
     * @return {@link #SENT}, {@link #FULL} or {@link #BROKEN}
     */
    int offer(Message message);

    /**
     * Another message follows soon: fetches its place in memory while something else is waited for.
     */
    default void fetchNext() {}

    /**
     * Checks for room.
     *
     * @return {@link #SENT} if the next message will find room, {@link #FULL} or {@link #BROKEN}
     */
    int room();

    /** Whether the next message will find room. Cheap if there was room a moment ago. */
    default boolean hasRoom() {
        return room() == SENT;
    }
}
