package org.jbmi.zbmi.protocol;

/**
 * The word through which client and engine agree on who has the bytes of an eager slot.
 *
 * <pre>
 *   63                                                             2 1     0
 *   +---------------------------------------------------------------+-------+
 *   | sequence: goes up with each use of the slot                   | state |
 *   +---------------------------------------------------------------+-------+
 *
 *   client: 0 FREE -> 1 ANNOUNCED (before the message that says so)
 *   client: ANNOUNCED -> 3 WITHDRAWN, to cancel     } by compare and set:
 *   engine: ANNOUNCED -> 2 TAKEN, to copy the bytes } one of them wins
 * </pre>
 *
 * <p>After TAKEN the slot is the engine's until the message that completes the operation. After
 * WITHDRAWN it is the client's at once, since an engine that comes late looks for an old sequence.
 */
public final class EagerState {
    private static final long ANNOUNCED = 1;
    private static final long TAKEN = 2;
    private static final long WITHDRAWN = 3;
    private static final int SEQUENCE_SHIFT = 2;

    private EagerState() {}

    /** The word of bytes that the engine may take. */
    public static long announced(long sequence) {
        return sequence << SEQUENCE_SHIFT | ANNOUNCED;
    }

    /** The word of bytes that the engine has taken. */
    public static long taken(long sequence) {
        return sequence << SEQUENCE_SHIFT | TAKEN;
    }

    /** The word of bytes that their owner has withdrawn. */
    public static long withdrawn(long sequence) {
        return sequence << SEQUENCE_SHIFT | WITHDRAWN;
    }
}
