package org.jbmi.zbmi.engine;

import org.jbmi.zbmi.protocol.Message;

/** Where the engine's encoded messages go: the host puts them into the session's port. */
@FunctionalInterface
public interface MessageSink {
    /**
     * Takes a message for a session.
     *
     * @param session {@link org.jbmi.zbmi.protocol.SegmentMap#SERVER_SESSION} or a client
     * @param message valid during this call only; a failure to send must be remembered and acted on
     *     after the engine's method has returned
     */
    void send(int session, Message message);
}
