package org.jbmi.zbmi.protocol;

/**
 * The engine's output for the server, one method for each message of {@link ServerEvents}. An
 * engine in the server's process calls these methods; an engine in the daemon sends the messages.
 * Called in order, by one thread at a time; must not call the engine.
 */
public interface ServerOutput {
    /** The server's post is registered: {@link #completion} will come. */
    void registered(long correlation, long operationId, long zoidId);

    /** The server's post has completed already. */
    void postCompleted(long correlation, long operationId, long bytes);

    /** The server's post is refused. */
    void postRefused(long correlation, long operationId, int code);

    /** The result of the server's cancel: see {@link ServerEvents#CANCELLED}. */
    void cancelReply(long correlation, long operationId, int outcome);

    /** The server's goodbye has been processed. */
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

    /** A client has attached. */
    void clientAttached(int client, int generation);

    /** A client has gone. */
    void clientGone(int client, int generation, int code);
}
