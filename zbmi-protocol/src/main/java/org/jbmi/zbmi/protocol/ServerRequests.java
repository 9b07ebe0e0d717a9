package org.jbmi.zbmi.protocol;

/**
 * Messages from the server to the engine.
 *
 * <pre>
 *   word             0            1             2                     3             4      5       6            7
 *   POST_SEND        correlation  operation id  session | generation  tag | expiry  bytes  offset  list offset  list entries
 *   POST_RECEIVE     correlation  operation id  session | generation  tag | expiry  room   offset  list offset  list entries
 *   CANCEL           correlation  operation id  zoid id
 *   UNEXPECTED_FREE  offset
 *   FINISH           correlation
 * </pre>
 *
 * <p>All but UNEXPECTED_FREE are calls and get exactly one reply with their correlation. If the
 * correlation is negative, nobody waits for the reply, and the engine never holds it back while a
 * client moves bytes. The operation id is the server's own. The zoid id is the engine's; the engine
 * tells it when it registers an operation.
 *
 * <p>With 0 list entries the payload is one block at "offset". Otherwise a list of (offset, length)
 * pairs of 64 bits each lies in the expected region. The server leaves the list alone until the
 * completion. The expiry is in milliseconds from the arrival of the message. An operation that is
 * not matched by then ends with ETIMEDOUT; {@link #NEVER} means that it waits for ever.
 */
public final class ServerRequests {
    /** An expected send to a client. */
    public static final int POST_SEND = 0x201;

    /** An expected receive from a client. */
    public static final int POST_RECEIVE = 0x202;

    /** Cancels a registered operation. */
    public static final int CANCEL = 0x203;

    /** Frees the memory of an unexpected message. */
    public static final int UNEXPECTED_FREE = 0x204;

    /** The server is closing: the engine forgets its operations. */
    public static final int FINISH = 0x205;

    /** Bytes of a list's entry. */
    public static final int LIST_ENTRY_BYTES = 2 * Long.BYTES;

    /** The expiry of an operation that has no deadline. */
    public static final int NEVER = -1;

    private static final int POST_WORDS = 8;

    private ServerRequests() {}

    /** Begins a post of either kind; {@link #place} must follow. */
    public static Message post(
            Message m,
            int kind,
            long corr,
            long operationId,
            int session,
            int generation,
            int tag,
            int expiryMs,
            long bytes) {
        return m.start(kind)
                .put(corr)
                .put(operationId)
                .put(session, generation)
                .put(tag, expiryMs)
                .put(bytes);
    }

    /** Completes a post. */
    public static Message place(Message m, long offset, long listOffset, int entries) {
        return m.put(offset).put(listOffset).put(entries);
    }

    /** Fills in a post. */
    public static Message post(Message m, long corr, ServerPost p) {
        int kind = p.isSend ? POST_SEND : POST_RECEIVE;
        post(m, kind, corr, p.reference, p.session, p.generation, p.tag, p.expiryMs, p.bytes);
        return place(m, p.offset, p.listOffset, p.listEntries);
    }

    /** Reads a post that is well formed. */
    public static ServerPost read(Message m, ServerPost p) {
        p.isSend = m.kind() == POST_SEND;
        p.reference = operationId(m);
        p.session = session(m);
        p.generation = generation(m);
        p.tag = tag(m);
        p.expiryMs = expiryMs(m);
        p.bytes = bytes(m);
        p.offset = offset(m);
        p.listOffset = listOffset(m);
        p.listEntries = listEntries(m);
        return p;
    }

    /** Fills in a cancel. */
    public static Message cancel(Message m, long corr, long operationId, long zoidId) {
        return m.start(CANCEL).put(corr).put(operationId).put(zoidId);
    }

    /** Fills in the free of an unexpected message's memory. */
    public static Message unexpectedFree(Message m, long offset) {
        return m.start(UNEXPECTED_FREE).put(offset);
    }

    /** Fills in the goodbye. */
    public static Message finish(Message m, long corr) {
        return m.start(FINISH).put(corr);
    }

    /** Fills in a request that is no post: a cancel, a free, or the goodbye. */
    public static Message request(Message m, int kind, long corr, long first, long second) {
        return switch (kind) {
            case CANCEL -> cancel(m, corr, first, second);
            case UNEXPECTED_FREE -> unexpectedFree(m, first);
            default -> finish(m, corr);
        };
    }

    /** The correlation of a call. */
    public static long correlation(Message m) {
        return m.word(0);
    }

    /** Whether a thread waits for the reply to a call of this correlation. */
    public static boolean isAwaited(long correlation) {
        return correlation > 0;
    }

    /** The server's reference of the operation. */
    public static long operationId(Message m) {
        return m.word(1);
    }

    /** The client of a post. */
    public static int session(Message m) {
        return m.low(2);
    }

    /** The generation of that session. */
    public static int generation(Message m) {
        return m.high(2);
    }

    /** The tag of a post. */
    public static int tag(Message m) {
        return m.low(3);
    }

    /** When a post expires, in milliseconds, or {@link #NEVER}. */
    public static int expiryMs(Message m) {
        return m.high(3);
    }

    /** The bytes of a send, or the room of a receive. */
    public static long bytes(Message m) {
        return m.word(4);
    }

    /** Where the block of a post lies. */
    public static long offset(Message m) {
        return m.word(5);
    }

    /** Where the list of a post lies. */
    public static long listOffset(Message m) {
        return m.word(6);
    }

    /** How many entries it has; 0 for a single block. */
    public static int listEntries(Message m) {
        return m.low(7);
    }

    /** The engine's name of the operation to cancel. */
    public static long zoidId(Message m) {
        return m.word(2);
    }

    /** The block of an unexpected message. */
    public static long freedOffset(Message m) {
        return m.word(0);
    }

    /** Whether a message is a post, and whole. */
    public static boolean isPost(Message m) {
        boolean isPost = m.kind() == POST_SEND || m.kind() == POST_RECEIVE;
        return isPost && isWellFormed(m);
    }

    /** Whether a message has a kind and a length that a server may send. */
    public static boolean isWellFormed(Message m) {
        return switch (m.kind()) {
            case POST_SEND, POST_RECEIVE -> m.wordCount() == POST_WORDS;
            case CANCEL -> m.wordCount() == 3;
            case UNEXPECTED_FREE, FINISH -> m.wordCount() == 1;
            default -> false;
        };
    }
}
