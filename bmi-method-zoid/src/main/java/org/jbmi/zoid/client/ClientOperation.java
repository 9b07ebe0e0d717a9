package org.jbmi.zoid.client;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.Slot;
import org.jspecify.annotations.Nullable;

/**
 * A pending operation of a client.
 *
 * <pre>
 *   POSTING --> PENDING --> CLAIMED ------------> OVER     through a grant
 *      \          | ^          |`--> SAYING -------^        the same, with a lane that was full
 *       \         | |          `--> MOVING -------^         the same, where the link moves later
 *        \        | `-----------------'           |        its claim came too late
 *         \       `-------------------------------^        done by the engine, failed, cancelled
 *          `-> UNANSWERED -^                                nobody waits for the reply any more
 * </pre>
 *
 * <p>All of it with the lock of the half held, but for what a thread has in its own hands.
 */
final class ClientOperation extends Slot {
    /** Sent, or about to be. */
    static final int POSTING = 0;

    /** Sent; the reply will come as an event. */
    static final int UNANSWERED = 1;

    /** Registered with the engine. */
    static final int PENDING = 2;

    /** Its grant is claimed: somebody moves its bytes. */
    static final int CLAIMED = 3;

    /** The link moves its bytes, and will say how that ended. */
    static final int MOVING = 4;

    /** Its bytes are moved, and the link has found no room yet to say so. */
    static final int SAYING = 5;

    /** The outcome is known. */
    static final int OVER = 6;

    private final ClientSession session;

    /** What its post says, and the answer to that; the posting thread's. */
    final Message post = new Message();

    /** The grant that was claimed. */
    final Message grant = new Message();

    int state;

    /**
     * Whether a thread is inside its post: that thread has the last word, and events that come in
     * between are left for it to find.
     */
    boolean inPost;

    /** Not 0 if it was cancelled before it was registered. */
    int cancelCode;

    /** Whether a withdrawal must still be sent. */
    boolean withdrawDue;

    /** Reported instead of success when the bytes are moved. */
    int failure;

    /** The engine's name of it; 0 if it was not told, or not yet. */
    long operationId;

    /** Whether it is a receive that was posted as a note: the engine knows it by its reference. */
    boolean isNoted;

    int outcome;
    long outcomeBytes;

    /** Its eager slot, negative for none. */
    int eagerSlot;

    long eagerSequence;

    /** Whether buffers of it that lie in the private pool are pinned. */
    boolean pinned;

    /** So many bytes its post has copied on the way to the engine. */
    long copiedBytes;

    /** Why its bytes could not be put into the program's memory, until that is said. */
    @Nullable Throwable complaint;

    ClientOperation(ClientSession session, int index) {
        super(index);
        this.session = session;
    }

    ClientSession session() {
        return session;
    }

    @Override
    protected void reset() {
        state = POSTING;
        inPost = true;
        cancelCode = 0;
        withdrawDue = false;
        failure = 0;
        operationId = 0;
        isNoted = false;
        outcome = 0;
        outcomeBytes = 0;
        eagerSlot = ClientRequests.NOT_EAGER;
        eagerSequence = 0;
        pinned = false;
        copiedBytes = 0;
        complaint = null;
    }

    /**
     * Whether who has just ended it reports it: its post does not see the end, and nothing is to be
     * sent besides.
     */
    boolean isReportDue() {
        return state == OVER && !inPost && !withdrawDue;
    }

    /** Whether nothing must be given back with it, nor said. */
    boolean isBare() {
        return eagerSlot < 0 && !pinned && complaint == null;
    }

    /** Whether this use of the slot is registered, and nobody has it in hand. */
    boolean isPending(long reference) {
        return state == PENDING && reference() == reference;
    }

    /** Whether the outcome of this use of the slot is known. */
    boolean isOver(long reference) {
        return state == OVER || reference() != reference;
    }

    /** Whether nobody's thread has it in hand, and it ends when the session does. */
    boolean isIdle() {
        return state == PENDING || state == UNANSWERED || state == MOVING || state == SAYING;
    }

    /** Whether the engine may end it when its time is over. */
    boolean mayExpireElsewhere() {
        Operation operation = operationOrNull();
        return state == PENDING && eagerSlot >= 0 && operation != null && operation.hasDeadline();
    }

    /** How long a registered eager send has left; {@link Long#MAX_VALUE} for ever or none. */
    long eagerRemainingNs(long reference, long nowNs) {
        boolean isPending = state == PENDING && reference() == reference && eagerSlot >= 0;
        Operation operation = isPending ? operationOrNull() : null;
        return operation == null ? Long.MAX_VALUE : operation.remainingNs(nowNs);
    }
}
