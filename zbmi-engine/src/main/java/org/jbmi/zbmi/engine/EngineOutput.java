package org.jbmi.zbmi.engine;

/**
 * What the engine says, one method for each message of {@link org.jbmi.zbmi.protocol.ClientEvents}
 * and {@link org.jbmi.zbmi.protocol.ServerEvents}. Called from inside the engine's own methods, in
 * the order in which the messages must go; must not call the engine. {@link EngineOutbox} encodes
 * them.
 */
public interface EngineOutput {
    /** A client's post is registered. */
    void pending(int client, long correlation, long reference, long operationId);

    /** A client may move bytes. */
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
            long claimWord);

    /**
     * The bytes of a client's receive, which is over with that.
     *
     * @return whether they are published; if not, nothing was said
     */
    boolean data(int client, long reference, long bytes, long offset);

    /** A client's operation is over, with success. */
    void completed(int client, long correlation, long reference, long bytes);

    /** A client's operation is over, without. */
    void failed(int client, long correlation, long reference, int code);

    /** A client's wait is over. */
    void testReply(int client, long correlation, int pushed);

    /** The server's post is registered. */
    void registered(long correlation, long operationId, long zoidId);

    /** The server's post is done already. */
    void postCompleted(long correlation, long operationId, long bytes);

    /** The server's post is refused. */
    void postRefused(long correlation, long operationId, int code);

    /**
     * What the server's cancel came to: see {@link org.jbmi.zbmi.protocol.ServerEvents#CANCELLED}.
     */
    void cancelReply(long correlation, long operationId, int outcome);

    /** The server's farewell is heard. */
    void finishReply(long correlation, int moversLeft);

    /** A registered operation of the server is over. */
    void completion(long operationId, int code, long bytes, int client, int generation);

    /** An unexpected message has come. */
    void unexpected(
            int client,
            int generation,
            int tag,
            int messageClass,
            long offset,
            long bytes,
            long messageId);

    /** A client is there. */
    void clientAttached(int client, int generation);

    /** A client is gone. */
    void clientGone(int client, int generation, int code);

    /** A peer has broken the protocol. */
    void fault(int session, Fault fault);
}
