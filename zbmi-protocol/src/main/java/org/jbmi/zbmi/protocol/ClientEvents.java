package org.jbmi.zbmi.protocol;

/**
 * Messages from the engine to a client.
 *
 * <pre>
 *   word        0            1          2             3         4      5       6            7             8                    9
 *   PENDING     correlation  reference  operation id
 *   GRANT       correlation  reference  operation id  grant id  bytes  offset  list offset  list entries  window | partner     claim word
 *   COMPLETED   correlation  reference  bytes
 *   FAILED      correlation  reference  code
 *   TEST_REPLY  correlation  messages pushed
 *   DATA        0            reference  bytes         the bytes themselves, up to 11 words
 *   ACCEPTED    0            reference
 *   DATA_SLOT   0            reference  bytes         data slot
 * </pre>
 *
 * <p>A correlation of 0 marks an event that is not the reply of a call. Its operation was answered
 * with PENDING before, or was posted as a note. All but TEST_REPLY are about the operation that the
 * client calls "reference".
 *
 * <ul>
 *   <li>PENDING: the operation is registered.
 *   <li>GRANT: there is a place for the bytes of a send, or the bytes of a receive lie there. The
 *       place is "bytes" at "offset", or the list of (offset, length) pairs at "list offset" if it
 *       has entries.
 *       <p>The client claims the grant (see {@link GrantWindow}) by swapping the word of "window"
 *       from "claim word". If the swap fails, the grant is void and the operation is as pending as
 *       before. After the claim the client must send a {@link ClientRequests#DONE}, which completes
 *       the operation. The client claims grants in the order in which they come, or ignores them.
 *       <p>Offers of one operation that name the same "partner" are of the same operation of the
 *       server. The partner is 0 for an unexpected message, which has none.
 *   <li>COMPLETED: the operation is over; an eager slot that it had is free.
 *   <li>FAILED: the same with an error. For an operation whose grant is claimed, the client
 *       continues to move the bytes, sends DONE, and then reports this code.
 *   <li>TEST_REPLY: the wait is over.
 *   <li>DATA: a receive that was posted as a note is over, and these are its bytes. The engine
 *       sends it without knowing whether the client is cancelling the receive: see {@link
 *       ClientRequests#CANCELLED}.
 *   <li>DATA_SLOT: the same, for bytes that do not fit into a message, or begin in the middle of a
 *       word. The engine has copied them into a data slot of the client's area; it fills the slots
 *       in turn. The client counts each such message when it has copied the bytes out, or when no
 *       receive takes them. The count gives the slot back.
 *   <li>ACCEPTED: a short unexpected send that is {@link ClientRequests#isCounted counted} is over,
 *       with success. The host does not put it into the lane. It adds one to the word "accepted" of
 *       the client's area, after it has put all earlier messages into the lane. A client reads the
 *       word, and then the lane to its end. Then it knows which of its sends were accepted: the
 *       oldest ones about which there was no message.
 * </ul>
 */
public final class ClientEvents {
    /** Registered. */
    public static final int PENDING = 0x101;

    /** There is a place for the bytes. */
    public static final int GRANT = 0x102;

    /** The operation succeeded. */
    public static final int COMPLETED = 0x103;

    /** The operation failed. */
    public static final int FAILED = 0x104;

    /** A wait has ended. */
    public static final int TEST_REPLY = 0x105;

    /** The bytes of a receive. */
    public static final int DATA = 0x106;

    /** A counted short unexpected send is over. */
    public static final int ACCEPTED = 0x107;

    /** The bytes of a receive are in a data slot. */
    public static final int DATA_SLOT = 0x108;

    /** Most bytes in a DATA. */
    public static final int MAX_DATA_BYTES = 88;

    private static final int DATA_WORDS = 3;
    private static final int DATA_SLOT_WORDS = 4;
    private static final int GRANT_WORDS = 10;

    private ClientEvents() {}

    /** Fills in the reply to a post that has no match yet. */
    public static Message pending(Message m, long corr, long ref, long operationId) {
        return m.start(PENDING).put(corr).put(ref).put(operationId);
    }

    /** Begins a grant; {@link #grantPlace} must follow. */
    public static Message grant(
            Message m, long corr, long ref, long operationId, long grantId, long bytes) {
        return m.start(GRANT).put(corr).put(ref).put(operationId).put(grantId).put(bytes);
    }

    /** Completes a grant. */
    public static Message grantPlace(
            Message m,
            long offset,
            long listOffset,
            int entries,
            int window,
            int partner,
            long claimWord) {
        return m.put(offset).put(listOffset).put(entries).put(window, partner).put(claimWord);
    }

    /** Fills in a success. */
    public static Message completed(Message m, long corr, long ref, long bytes) {
        return m.start(COMPLETED).put(corr).put(ref).put(bytes);
    }

    /** Fills in a failure. */
    public static Message failed(Message m, long corr, long ref, int code) {
        return m.start(FAILED).put(corr).put(ref).put(code);
    }

    /** Fills in the end of a wait. */
    public static Message testReply(Message m, long corr, int pushed) {
        return m.start(TEST_REPLY).put(corr).put(pushed);
    }

    /** Begins the bytes of a receive; the words that hold them are appended after. */
    public static Message data(Message m, long ref, long bytes) {
        return m.start(DATA).put(0).put(ref).put(bytes);
    }

    /** Fills in the bytes of a receive that are in a data slot. */
    public static Message dataSlot(Message m, long ref, long bytes, int slot) {
        return m.start(DATA_SLOT).put(0).put(ref).put(bytes).put(slot);
    }

    /** Fills in the acceptance of a short unexpected send. */
    public static Message accepted(Message m, long ref) {
        return m.start(ACCEPTED).put(0).put(ref);
    }

    /** How many bytes a DATA or a DATA_SLOT has. */
    public static long dataBytes(Message m) {
        return m.word(2);
    }

    /** Where the bytes of a DATA begin. */
    public static int dataWord() {
        return DATA_WORDS;
    }

    /** The slot of a DATA_SLOT. */
    public static int slot(Message m) {
        return m.low(3);
    }

    /** The call that it answers, or 0. */
    public static long correlation(Message m) {
        return m.word(0);
    }

    /** The client's reference of the operation. */
    public static long reference(Message m) {
        return m.word(1);
    }

    /**
     * Whether a message is about one operation, and so has a {@link #reference}. {@link #ACCEPTED}
     * is not among them: the client only learns how many sends were accepted.
     */
    public static boolean isOfOperation(Message m) {
        return switch (m.kind()) {
            case PENDING, GRANT, COMPLETED, FAILED, DATA, DATA_SLOT -> true;
            default -> false;
        };
    }

    /**
     * Whether a client may get it a moment later: the success of an operation that it posted as a
     * note.
     *
     * @return true for no other
     */
    public static boolean mayComeLate(Message m) {
        return m.kind() == COMPLETED && correlation(m) == 0;
    }

    /** The engine's id of the operation, for its withdrawal. */
    public static long operationId(Message m) {
        return m.word(2);
    }

    /** The bytes of a success. */
    public static long completedBytes(Message m) {
        return m.word(2);
    }

    /** The code of a failure. */
    public static int failedCode(Message m) {
        return m.low(2);
    }

    /** How many messages a TEST with timeout 0, or the whole wait, had pushed. */
    public static int pushed(Message m) {
        return m.low(1);
    }

    /** The grant's id, for DONE. */
    public static long grantId(Message m) {
        return m.word(3);
    }

    /** The bytes to move, for DONE. */
    public static long grantBytes(Message m) {
        return m.word(4);
    }

    /** Where they go or lie; meaningless if there is a list. */
    public static long grantOffset(Message m) {
        return m.word(5);
    }

    /** Where the list lies. */
    public static long listOffset(Message m) {
        return m.word(6);
    }

    /** Its entries; 0 if there is no list. */
    public static int listEntries(Message m) {
        return m.low(7);
    }

    /** The window whose word is to be swapped. */
    public static int window(Message m) {
        return m.low(8);
    }

    /** The server's operation that it is matched with; 0 for none. */
    public static long partner(Message m) {
        return m.word(8) >>> Integer.SIZE;
    }

    /** The value that the word must have. */
    public static long claimWord(Message m) {
        return m.word(9);
    }

    /** Whether a message has a kind and a length that an engine may send to a client. */
    public static boolean isWellFormed(Message m) {
        return switch (m.kind()) {
            case PENDING, COMPLETED, FAILED -> m.wordCount() == 3;
            case GRANT -> m.wordCount() == GRANT_WORDS;
            case TEST_REPLY -> m.wordCount() == 2;
            case DATA -> isWellFormedData(m);
            case DATA_SLOT -> isWellFormedDataSlot(m);
            default -> false;
        };
    }

    private static boolean isWellFormedData(Message m) {
        if (m.wordCount() < DATA_WORDS) {
            return false;
        }
        long bytes = dataBytes(m);
        return correlation(m) == 0
                && bytes >= 0
                && bytes <= MAX_DATA_BYTES
                && m.wordCount() == DATA_WORDS + (int) ((bytes + 7) / Long.BYTES);
    }

    private static boolean isWellFormedDataSlot(Message m) {
        return m.wordCount() == DATA_SLOT_WORDS
                && correlation(m) == 0
                && dataBytes(m) >= 0
                && dataBytes(m) <= SegmentGeometry.MAX_EAGER_SLOT_BYTES
                && m.word(3) >= 0
                && m.word(3) < SessionArea.DATA_SLOTS;
    }
}
