package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * The reading end of one direction of a session, whatever carries it. Used by one thread at a time;
 * allocates nothing; never waits.
 */
public interface MessageSource {
    /** A message was received. */
    int RECEIVED = 1;

    /** There is no message. */
    int EMPTY = 0;

    /** The reader found what no sender can have written. */
    int BROKEN = -1;

    /**
     * Takes the next message.
     *
     * @return {@link #RECEIVED}, {@link #EMPTY} or {@link #BROKEN}
     */
    int poll(Message into);

    /** Whether {@link #poll} would not return {@link #EMPTY}. Changes nothing. */
    boolean hasMessage();

    /** Whether to wake a sender that had no room. */
    boolean takeCreditDue();
}
