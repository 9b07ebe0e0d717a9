package org.jbmi.zbmi.protocol;

/**
 * Messages from a client to the engine.
 *
 * <p>Three of them are calls and get exactly one reply with their correlation, unless the session
 * ends: {@link #SEND}, {@link #RECEIVE}, {@link #SEND_UNEXPECTED}. {@link #TEST} gets a reply,
 * unless it is disarmed before. The others are notes.
 *
 * <p>With a correlation of 0 and no timeout, the first three are notes too, and the reply comes as
 * an event. For a receive the engine then does not send "registered": its client has seen in the
 * {@link TagBits} that no send waits for it. The lower half of the reference of such a receive is
 * below the session's limit of operations. No two pending receives of this kind have the same lower
 * half.
 *
 * <pre>
 *   word            0            1          2                    3      4                5              6..13
 *   SEND            correlation  reference  tag | eager slot     bytes  timeout ms | 0      eager sequence
 *   RECEIVE         correlation  reference  tag | data room      room   timeout ms | 0      -
 *   SEND_UNEXPECTED correlation  reference  tag | eager slot     bytes  timeout ms | class  eager sequence inline bytes
 *   TEST            correlation  timeout ms
 *   DISARM          correlation
 *   DONE            grant id     bytes      status
 *   WITHDRAW        operation id reference
 *   EXPIRES         operation id reference  milliseconds
 *   CANCELLED       number       reference
 *   SEND_SHORT      bytes | answer   reference  tag | class      inline bytes: words 3..13
 *   SEND_LENT       bytes | slot     tag | class
 * </pre>
 *
 * <p>"a | b" is one word: a in its lower half, b in its upper half. The reference is the client's
 * own name of its operation, which comes back with everything said about it. An eager slot is a
 * number, {@link #NOT_EAGER} or {@link #INLINE}.
 *
 * <ul>
 *   <li>TEST opens a wait: until its timeout has passed or DISARM comes, the engine grants to this
 *       client whatever becomes ready. It first sends what is ready already. With a timeout of 0
 *       the reply follows at once. Otherwise it follows when the time has passed; then the engine
 *       takes back grants that the client has not claimed. A TEST that comes while another one is
 *       open takes its place, and the engine answers the older one at once.
 *   <li>DISARM ends the wait. Grants that the client has not claimed by then are taken back.
 *   <li>DONE ends the transfer of a claimed grant: status 0 and all its bytes, or a negative code.
 *   <li>EXPIRES says that a registered send whose bytes lie in an eager slot is to end with
 *       ETIMEDOUT if it is not taken in time. No such message is needed for other pending
 *       operations: only the client moves their bytes, so the client checks their deadlines itself.
 *   <li>WITHDRAW says that the client has cancelled an operation that was answered with PENDING, or
 *       whose grant it has not claimed.
 *   <li>CANCELLED says that a receive which was posted as a note is cancelled. Before that the
 *       client has counted the cancel in its area, and then read all that the engine had sent. The
 *       number is that count. The reference is 0 if the client found that the receive is over.
 *   <li>SEND_SHORT is a SEND_UNEXPECTED whose bytes are {@link #INLINE}, always as a note. It lacks
 *       the words that a note does not need, so more bytes fit. Its word "answer" says how the
 *       engine answers:
 *       <ul>
 *         <li>0: as any note.
 *         <li>1, counted: the engine accepts the message if no earlier one of this client waits,
 *             and there is memory. Then it sends no answer, and counts the message in the word
 *             "accepted" of the client's area. Otherwise it answers as to any note.
 *         <li>2, unanswered: never. For the client the send is over. If the engine cannot accept it
 *             at once, it keeps the bytes, and says so in the word "keeps" of the client's area. A
 *             client sends such messages only while it reads {@link SessionArea#KEEPS_ALL} there,
 *             so little more than one lane of them comes after that.
 *       </ul>
 *   <li>SEND_LENT is an unexpected send whose bytes lie in an eager slot that was not announced. As
 *       for an unanswered SEND_SHORT, its send is over for the client, and the engine says nothing
 *       about it. A client sends it only while it reads {@link SessionArea#KEEPS_ALL}.
 *       <p>The slot is lent: the server's program gets the bytes in place. When the program has
 *       freed them, or nobody will get them, the engine gives the slot back. For that it changes
 *       the slot's bit in the word "returned" of the client's area. Until then the client neither
 *       writes to the slot nor names it.
 * </ul>
 */
public final class ClientRequests {
    /** An expected send. */
    public static final int SEND = 1;

    /** An expected receive. */
    public static final int RECEIVE = 2;

    /** An unexpected send. */
    public static final int SEND_UNEXPECTED = 3;

    /** Opens a wait. */
    public static final int TEST = 4;

    /** Ends a wait early. */
    public static final int DISARM = 5;

    /** A transfer has ended. */
    public static final int DONE = 6;

    /** An operation is cancelled. */
    public static final int WITHDRAW = 7;

    /** A registered eager send has a deadline. */
    public static final int EXPIRES = 8;

    /** A receive that was posted as a note is cancelled, or was over when its cancel began. */
    public static final int CANCELLED = 9;

    /** An unexpected send of few bytes, posted as a note. */
    public static final int SEND_SHORT = 10;

    /** An unexpected send in an eager slot that the server gets lent. */
    public static final int SEND_LENT = 11;

    /** As the data room of a receive: its bytes must be granted. */
    public static final int NO_DATA_ROOM = -1;

    /** As an eager slot: the bytes stay with the client until they are granted a place. */
    public static final int NOT_EAGER = -1;

    /** As an eager slot: the bytes of an unexpected message lie in the message itself. */
    public static final int INLINE = -2;

    /** Most bytes that lie in a {@link #SEND_UNEXPECTED}. */
    public static final int MAX_INLINE_BYTES = 64;

    static final int POST_WORDS = 6;
    private static final int SHORT_WORDS = 3;
    private static final int COUNTED = 1;
    private static final int KEPT = 2;

    /** Most bytes of a {@link #SEND_SHORT}. */
    public static final int MAX_SHORT_BYTES = (Message.MAX_WORDS - SHORT_WORDS) * Long.BYTES;

    /**
     * Most messages of a client whose sends are over, and that the engine keeps. A client whose
     * lane has more than half as many slots sends none.
     */
    public static final int MOST_KEPT = 1024;

    private ClientRequests() {}

    /** Fills in a send; {@code slot} and {@code sequence} as {@link EagerState} has them. */
    public static Message send(
            Message m,
            long corr,
            long ref,
            int tag,
            long bytes,
            int timeoutMs,
            int slot,
            long seq) {
        return m.start(SEND)
                .put(corr)
                .put(ref)
                .put(tag, slot)
                .put(bytes)
                .put(timeoutMs, 0)
                .put(seq);
    }

    /** Fills in a receive. */
    public static Message receive(
            Message m, long corr, long ref, int tag, long room, int timeoutMs, int dataRoom) {
        return m.start(RECEIVE).put(corr).put(ref).put(tag, dataRoom).put(room).put(timeoutMs, 0);
    }

    /**
     * Fills in an unexpected send; for {@link #INLINE} the words of the payload are appended after.
     */
    public static Message sendUnexpected(
            Message m,
            long corr,
            long ref,
            int tag,
            int messageClass,
            long bytes,
            int timeoutMs,
            int slot,
            long seq) {
        return m.start(SEND_UNEXPECTED)
                .put(corr)
                .put(ref)
                .put(tag, slot)
                .put(bytes)
                .put(timeoutMs, messageClass)
                .put(seq);
    }

    /** Fills in a short unexpected send; the words of the payload are appended after. */
    public static Message sendShort(
            Message m, long ref, int tag, int messageClass, int bytes, boolean isCounted) {
        return m.start(SEND_SHORT)
                .put(bytes, isCounted ? COUNTED : 0)
                .put(ref)
                .put(tag, messageClass);
    }

    /**
     * Fills in a short unexpected send that is over with that; the words of the payload are
     * appended after.
     */
    public static Message sendKept(Message m, int tag, int messageClass, int bytes) {
        return m.start(SEND_SHORT).put(bytes, KEPT).put(0).put(tag, messageClass);
    }

    /** Fills in an unexpected send whose bytes lie in an eager slot, and that is over with that. */
    public static Message sendLent(Message m, int slot, int tag, int messageClass, int bytes) {
        return m.start(SEND_LENT).put(bytes, slot).put(tag, messageClass);
    }

    /** Fills in the opening of a wait. */
    public static Message test(Message m, long corr, int timeoutMs) {
        return m.start(TEST).put(corr).put(timeoutMs);
    }

    /** Fills in the end of a wait. */
    public static Message disarm(Message m, long corr) {
        return m.start(DISARM).put(corr);
    }

    /** Fills in the end of a transfer. */
    public static Message done(Message m, long grantId, long bytes, int status) {
        return m.start(DONE).put(grantId).put(bytes).put(status);
    }

    /** Fills in a cancel. */
    public static Message withdraw(Message m, long operationId, long ref) {
        return m.start(WITHDRAW).put(operationId).put(ref);
    }

    /** Fills in the deadline of a registered eager send. */
    public static Message expires(Message m, long operationId, long ref, long milliseconds) {
        return m.start(EXPIRES).put(operationId).put(ref).put(milliseconds);
    }

    /** Fills in the cancel of a receive that was posted as a note; 0 for the reference of none. */
    public static Message cancelled(Message m, long number, long ref) {
        return m.start(CANCELLED).put(number).put(ref);
    }

    /** The number of a cancel. */
    public static long cancelNumber(Message m) {
        return m.word(0);
    }

    /** The correlation of a call. */
    public static long correlation(Message m) {
        return m.word(0);
    }

    /** The client's reference of the operation of a post. */
    public static long reference(Message m) {
        return m.word(1);
    }

    /** The tag of a post. */
    public static int tag(Message m) {
        return m.low(2);
    }

    /** The eager slot of a post. */
    public static int eagerSlot(Message m) {
        return m.high(2);
    }

    /** How many bytes a receive takes in a DATA or a DATA_SLOT: see {@link ClientEvents}. */
    public static int dataRoom(Message m) {
        return m.high(2);
    }

    /** The bytes of a send, or the room of a receive. */
    public static long bytes(Message m) {
        return m.word(3);
    }

    /** How long a post may wait. */
    public static int timeoutMs(Message m) {
        return m.low(4);
    }

    /** The class of an unexpected message. */
    public static int messageClass(Message m) {
        return m.high(4);
    }

    /** The sequence under which the eager slot was announced. */
    public static long eagerSequence(Message m) {
        return m.word(5);
    }

    /** The timeout of a test. */
    public static long testTimeoutMs(Message m) {
        return m.word(1);
    }

    /** The grant that is done. */
    public static long grantId(Message m) {
        return m.word(0);
    }

    /** The bytes that were moved. */
    public static long doneBytes(Message m) {
        return m.word(1);
    }

    /** How the transfer ended. */
    public static int doneStatus(Message m) {
        return m.low(2);
    }

    /** The engine's id of the operation that is cancelled. */
    public static long withdrawnOperation(Message m) {
        return m.word(0);
    }

    /** How many bytes lie in a short unexpected send. */
    public static int shortBytes(Message m) {
        return m.low(0);
    }

    /** The bytes in a lent slot. */
    public static int lentBytes(Message m) {
        return m.low(0);
    }

    /** The slot that is lent. */
    public static int lentSlot(Message m) {
        return m.high(0);
    }

    /** The tag of the message in a lent slot. */
    public static int lentTag(Message m) {
        return m.low(1);
    }

    /** The class of the message in a lent slot. */
    public static int lentClass(Message m) {
        return m.high(1);
    }

    /** Whether it is a short unexpected send whose acceptance is counted, and not said. */
    public static boolean isCounted(Message m) {
        return m.kind() == SEND_SHORT && m.high(0) == COUNTED;
    }

    /** Whether it is a short unexpected send that is over, so that nothing is said about it. */
    public static boolean isKept(Message m) {
        return m.kind() == SEND_SHORT && m.high(0) == KEPT;
    }

    /** The class of a short unexpected send. */
    public static int shortClass(Message m) {
        return m.high(2);
    }

    /** Where the inline bytes of an unexpected message begin. */
    public static int inlineWord(Message m) {
        return m.kind() == SEND_SHORT ? SHORT_WORDS : POST_WORDS;
    }

    /** The operation that has a deadline. */
    public static long expiringOperation(Message m) {
        return m.word(0);
    }

    /** After how many milliseconds it expires. */
    public static long expiresMs(Message m) {
        return m.word(2);
    }

    /**
     * Whether a message has a kind and a length that a client may send. The values of its fields
     * are checked where they are used.
     */
    public static boolean isWellFormed(Message m) {
        return switch (m.kind()) {
            case SEND -> m.wordCount() == POST_WORDS;
            case RECEIVE -> m.wordCount() == POST_WORDS - 1;
            case SEND_UNEXPECTED -> isWellFormedUnexpected(m);
            case TEST, WITHDRAW, CANCELLED, SEND_LENT -> m.wordCount() == 2;
            case DISARM -> m.wordCount() == 1;
            case DONE, EXPIRES -> m.wordCount() == 3;
            case SEND_SHORT ->
                    m.wordCount() >= SHORT_WORDS
                            && m.high(0) >= 0
                            && m.high(0) <= KEPT
                            && hasAll(m, SHORT_WORDS, shortBytes(m), MAX_SHORT_BYTES);
            default -> false;
        };
    }

    private static boolean isWellFormedUnexpected(Message m) {
        if (m.wordCount() < POST_WORDS) {
            return false;
        }
        if (eagerSlot(m) != INLINE) {
            return m.wordCount() == POST_WORDS;
        }
        return hasAll(m, POST_WORDS, bytes(m), MAX_INLINE_BYTES);
    }

    // Whether the message has as many bytes behind its words as it says, and not too many.
    private static boolean hasAll(Message m, int words, long size, int mostBytes) {
        return size >= 0
                && size <= mostBytes
                && m.wordCount() == words + (int) ((size + 7) / Long.BYTES);
    }
}
