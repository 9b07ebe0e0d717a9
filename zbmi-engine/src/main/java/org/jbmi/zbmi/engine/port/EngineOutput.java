package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * The output of the engine: one method for each message of {@link
 * org.jbmi.zbmi.protocol.ClientEvents}, and the methods of {@link ServerOutput}. Called from inside
 * the engine's own methods, in the order in which the messages must go; must not call the engine.
 * {@code EngineOutbox} encodes them.
 */
public interface EngineOutput extends ServerOutput {
    /** A client's post is registered. */
    void pending(int client, long correlation, long reference, long operationId);

    /** A client may move bytes; the partner tells one message of the server's from another. */
    void grant(
            int client,
            long correlation,
            long reference,
            long operationId,
            long grantId,
            long bytes,
            long offset,
            long listOffset,
            int listEntries,
            int window,
            int partner,
            long claimWord);

    /**
     * The bytes of a client's receive, which ends with this message.
     *
     * @return whether they are published; if not, nothing was sent
     */
    boolean data(int client, long reference, long bytes, long offset);

    /** Whether {@link #dataSlot} would publish. */
    boolean mayPublish(int client);

    /**
     * The bytes of a client's receive are in a data slot; the receive ends with this message.
     *
     * @return whether it is published; if not, nothing was sent
     */
    boolean dataSlot(int client, long reference, long bytes, int slot);

    /** A client's operation has succeeded. */
    void completed(int client, long correlation, long reference, long bytes);

    /** A client's counted send is over, with success. */
    void accepted(int client, long reference);

    /** A client's operation has failed. */
    void failed(int client, long correlation, long reference, int code);

    /** A client's wait has ended. */
    void testReply(int client, long correlation, int pushed);

    /** A peer has broken the protocol. */
    void fault(int session, Fault fault);
}
