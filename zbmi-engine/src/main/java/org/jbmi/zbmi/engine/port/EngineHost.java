package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.Message;

/**
 * Runs an engine and carries its messages. Called from inside the engine's methods; must not call
 * the engine. The host does an action that follows from a call after the engine's method has
 * returned.
 */
public interface EngineHost {
    /**
     * Takes a message for a session, to be sent through its port.
     *
     * @param session {@link org.jbmi.zbmi.protocol.SegmentMap#SERVER_SESSION} or a client
     * @param message valid during this call only
     */
    void send(int session, Message message);

    /**
     * Whether no message for a client waits, and there is room for the next: {@link #sendData}
     * would publish it.
     */
    boolean mayPublish(int client);

    /**
     * Publishes a message for a client, with bytes of the segment behind it if there are any. It
     * does so only if no message waits before it and there is room.
     *
     * @param head the message without the bytes; valid during this call only, may be changed
     * @param offset where the bytes begin, a multiple of 8
     * @param bytes how many, 0 or as many as the message has room for at most
     * @return whether it is published; if not, nothing was done
     */
    boolean sendData(int client, Message head, long offset, long bytes);

    /**
     * A peer has broken the protocol: to be counted and logged, and, if {@link Fault#endsSession},
     * its session to be ended. Until then the engine ignores a client in which it found the fault
     * itself. It still hears the server, and clients whose fault the host found.
     *
     * @param session {@link org.jbmi.zbmi.protocol.SegmentMap#SERVER_SESSION} or a client
     */
    void fault(int session, Fault fault);
}
