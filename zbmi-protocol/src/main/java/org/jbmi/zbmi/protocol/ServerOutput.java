package org.jbmi.zbmi.protocol;

/**
 * The engine's output for the server, with methods for the messages of {@link ServerEvents}. An
 * engine in the server's process calls these methods; an engine in the daemon sends the messages.
 * Called in order, by one thread at a time; must not call the engine.
 */
public interface ServerOutput {
    /**
     * Answers a post or a cancel of the server.
     *
     * @param kind {@link ServerEvents#REGISTERED}: {@link #completion} will come; {@link
     *     ServerEvents#POST_COMPLETED}, {@link ServerEvents#POST_REFUSED} or {@link
     *     ServerEvents#CANCEL_REPLY}
     * @param value see {@link ServerEvents#answer}
     */
    void answered(int kind, long correlation, long operationId, long value);

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
