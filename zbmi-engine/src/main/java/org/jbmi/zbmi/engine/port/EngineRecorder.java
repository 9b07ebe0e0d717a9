package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.Message;

/**
 * Records everything that enters an engine, just before it does. Called by the engine's thread;
 * must not call the engine.
 */
public interface EngineRecorder {
    /** An event that is not a message. */
    enum Event {
        /** A session's process is known: first is its id. */
        INTRODUCED,
        /** First is the generation. */
        CLIENT_ATTACHED,
        /** First is the code, second 1 if it is proved. */
        CLIENT_GONE,
        /** No values. */
        CLIENT_PROVED_DEAD,
        /** First is the generation. */
        SERVER_ATTACHED,
        /** First is 1 if it is proved. */
        SERVER_GONE,
        /** No values. */
        SERVER_PROVED_DEAD,
        /** First is the time of the tick. */
        TICK
    }

    /**
     * A message of a peer.
     *
     * @param message valid during this call only
     * @param nowNs the time passed to the engine
     */
    void message(int session, Message message, long nowNs);

    /**
     * An event that is not a message.
     *
     * @param session its session; 0 where there is none
     * @param first see {@link Event}
     * @param second see {@link Event}
     */
    void event(Event event, int session, long first, long second);
}
