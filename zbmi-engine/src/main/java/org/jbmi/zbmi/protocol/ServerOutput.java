package org.jbmi.zbmi.protocol;

/**
 * What the engine says to the server, one method for each message of {@link ServerEvents}: an
 * engine in the process of its server calls them, one elsewhere sends the messages. In the order in
 * which the engine says it, one at a time; must not call the engine.
 */
public interface ServerOutput {
    /** The server's post is registered: {@link #completion} will come. */
    void registered(long correlation, long operationId, long zoidId);

    /** The server's post is done already. */
    void postCompleted(long correlation, long operationId, long bytes);

    /** The server's post is refused. */
    void postRefused(long correlation, long operationId, int code);

    /** What the server's cancel came to: see {@link ServerEvents#CANCELLED}. */
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
}
