package org.jbmi.zbmi.protocol;

/**
 * Messages from the engine to the server.
 *
 * <pre>
 *   word             0                     1             2         3       4
 *   REGISTERED       correlation           operation id  zoid id
 *   POST_COMPLETED   correlation           operation id  bytes
 *   POST_REFUSED     correlation           operation id  code
 *   CANCEL_REPLY     correlation           operation id  outcome
 *   FINISH_REPLY     correlation           movers left
 *   COMPLETION       operation id          code          bytes     session | generation
 *   UNEXPECTED       session | generation  tag | class   offset    bytes   message id
 *   CLIENT_ATTACHED  session | generation
 *   CLIENT_GONE      session | generation  code
 * </pre>
 *
 * <p>The first five answer a call. COMPLETION comes once for each operation that was REGISTERED,
 * unless it was cancelled with the outcome CANCELLED, or FINISH came.
 */
public final class ServerEvents {
    /** Registered: a completion will come. */
    public static final int REGISTERED = 0x301;

    /** The message has been moved; no completion will come. */
    public static final int POST_COMPLETED = 0x302;

    /** Not accepted; no completion will come. */
    public static final int POST_REFUSED = 0x303;

    /** The result of a cancel. */
    public static final int CANCEL_REPLY = 0x304;

    /** The answer to the goodbye. */
    public static final int FINISH_REPLY = 0x305;

    /** A registered operation is over. */
    public static final int COMPLETION = 0x306;

    /** An unexpected message has come. */
    public static final int UNEXPECTED = 0x307;

    /** A client has attached. */
    public static final int CLIENT_ATTACHED = 0x308;

    /** A client has gone. */
    public static final int CLIENT_GONE = 0x309;

    /** Outcome of a cancel: the operation is gone, no completion will come. */
    public static final int CANCELLED = 1;

    /** Outcome of a cancel: bytes are being moved; the completion will say what came of it. */
    public static final int REQUESTED = 2;

    /** Outcome of a cancel: no such operation, it may just have been completed. */
    public static final int UNKNOWN = 3;

    private ServerEvents() {}

    /**
     * Fills in the answer to a post or a cancel.
     *
     * @param kind {@link #REGISTERED}, {@link #POST_COMPLETED}, {@link #POST_REFUSED} or {@link
     *     #CANCEL_REPLY}
     * @param value see {@link #answer}
     */
    public static Message answered(Message m, int kind, long corr, long operationId, long value) {
        return m.start(kind).put(corr).put(operationId).put(value);
    }

    /** Fills in the goodbye's answer. */
    public static Message finishReply(Message m, long corr, int movers) {
        return m.start(FINISH_REPLY).put(corr).put(movers);
    }

    /** Fills in a completion. */
    public static Message completion(
            Message m, long operationId, int code, long bytes, int session, int generation) {
        return m.start(COMPLETION).put(operationId).put(code).put(bytes).put(session, generation);
    }

    /** Fills in an unexpected message. */
    public static Message unexpected(
            Message m,
            int session,
            int generation,
            int tag,
            int messageClass,
            long offset,
            long bytes,
            long messageId) {
        return m.start(UNEXPECTED)
                .put(session, generation)
                .put(tag, messageClass)
                .put(offset)
                .put(bytes)
                .put(messageId);
    }

    /** Fills in an arrival. */
    public static Message clientAttached(Message m, int session, int generation) {
        return m.start(CLIENT_ATTACHED).put(session, generation);
    }

    /** Fills in a departure. */
    public static Message clientGone(Message m, int session, int generation, int code) {
        return m.start(CLIENT_GONE).put(session, generation).put(code);
    }

    /** Whether it answers a call. */
    public static boolean isReply(Message m) {
        return m.kind() >= REGISTERED && m.kind() <= FINISH_REPLY;
    }

    /** The call that a reply answers. */
    public static long correlation(Message m) {
        return m.word(0);
    }

    /** The server's name of the operation that a reply is about. */
    public static long operationId(Message m) {
        return m.word(1);
    }

    /**
     * What an answer says: the engine's name of a registered operation, the bytes of a completed
     * one, the code of a refusal, or what a cancel came to.
     */
    public static long answer(Message m) {
        return m.word(2);
    }

    /** What a cancel came to. */
    public static int cancelOutcome(Message m) {
        return m.low(2);
    }

    /** Transfers that still touch the expected region. */
    public static int moversLeft(Message m) {
        return m.low(1);
    }

    /** The server's name of the operation that is over. */
    public static long completedOperation(Message m) {
        return m.word(0);
    }

    /** 0 or a negative code. */
    public static int completionCode(Message m) {
        return m.low(1);
    }

    /** The bytes that were moved. */
    public static long completionBytes(Message m) {
        return m.word(2);
    }

    /** The session of an unexpected message, an arrival or a departure. */
    public static int session(Message m) {
        return m.low(0);
    }

    /** Which life of that session. */
    public static int generation(Message m) {
        return m.high(0);
    }

    /** The tag of an unexpected message. */
    public static int tag(Message m) {
        return m.low(1);
    }

    /** The class of an unexpected message. */
    public static int messageClass(Message m) {
        return m.high(1);
    }

    /** Where an unexpected message lies. */
    public static long offset(Message m) {
        return m.word(2);
    }

    /** Its length. */
    public static long bytes(Message m) {
        return m.word(3);
    }

    /** Its number, unique while the host lives. */
    public static long messageId(Message m) {
        return m.word(4);
    }

    /** Why a client is gone. */
    public static int goneCode(Message m) {
        return m.low(1);
    }

    /** Calls the method of the output that belongs to a well-formed message. */
    public static void deliver(Message m, ServerOutput to) {
        switch (m.kind()) {
            case REGISTERED, POST_COMPLETED, POST_REFUSED, CANCEL_REPLY ->
                    to.answered(m.kind(), correlation(m), operationId(m), answer(m));
            case FINISH_REPLY -> to.finishReply(correlation(m), moversLeft(m));
            case COMPLETION ->
                    to.completion(
                            completedOperation(m),
                            completionCode(m),
                            completionBytes(m),
                            m.low(3),
                            m.high(3));
            case UNEXPECTED ->
                    to.unexpected(
                            session(m),
                            generation(m),
                            tag(m),
                            messageClass(m),
                            offset(m),
                            bytes(m),
                            messageId(m));
            case CLIENT_ATTACHED -> to.clientAttached(session(m), generation(m));
            default -> to.clientGone(session(m), generation(m), goneCode(m));
        }
    }

    /** Whether a message has a kind and a length that an engine may send to the server. */
    public static boolean isWellFormed(Message m) {
        return switch (m.kind()) {
            case REGISTERED, POST_COMPLETED, POST_REFUSED, CANCEL_REPLY -> m.wordCount() == 3;
            case FINISH_REPLY, CLIENT_GONE -> m.wordCount() == 2;
            case COMPLETION -> m.wordCount() == 4;
            case UNEXPECTED -> m.wordCount() == 5;
            case CLIENT_ATTACHED -> m.wordCount() == 1;
            default -> false;
        };
    }
}
