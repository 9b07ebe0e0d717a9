package org.jbmi.zoid.client;

import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.observe.Counter;
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
 *      \          | ^          |`--> REPORTING ----^        the same, with a lane that was full
 *       \         | |          `--> MOVING -------^         the same, where the link moves later
 *        \        | `-----------------'           |        its claim came too late
 *         \       `-------------------------------^        ended by the engine, or cancelled
 *          `-> UNANSWERED -^                                the post stopped waiting for the reply
 *   POSTING, PENDING --> COPYING ----------------> OVER     its bytes came in a data slot
 * </pre>
 *
 * <p>The lock of the half guards it, except for the fields that one thread alone uses.
 */
final class ClientOperation extends Slot {
    /** Sent; the reply will come as an event. */
    static final int UNANSWERED = 2;

    /** Registered with the engine. */
    static final int PENDING = 3;

    /** Its grant is claimed: a thread moves its bytes. */
    static final int CLAIMED = 4;

    /** The link moves its bytes, and will report the result. */
    static final int MOVING = 5;

    /** Its bytes are moved; the link has had no room yet to tell the engine. */
    static final int REPORTING = 6;

    /** A thread copies its bytes out of a data slot. */
    static final int COPYING = 7;

    private final ClientSession session;

    /** The post message and its answer; the posting thread uses it. */
    final Message post = new Message();

    /** The grant that was claimed. */
    final Message grant = new Message();

    /** Whether a withdrawal must still be sent. */
    boolean withdrawDue;

    /** Reported instead of success after the bytes have moved. */
    int failure;

    /** The engine's id of it; 0 if this side was not told, or not yet. */
    long operationId;

    /** Whether it is a receive that was posted as a note: the engine knows it by its reference. */
    boolean isNoted;

    /** Its eager slot, negative for none. */
    int eagerSlot;

    long eagerSequence;

    /** Whether the engine was told its deadline. */
    boolean isDeadlineTold;

    /** Whether its buffers in the private pool are pinned. */
    private boolean pinned;

    /** How many bytes its post has copied on the way to the engine. */
    long copiedBytes;

    /** Why its bytes could not be copied to the program's memory, until that is logged. */
    @Nullable Throwable complaint;

    ClientOperation(ClientSession session, int index, Counter protocolErrors) {
        super(index, protocolErrors);
        this.session = session;
    }

    ClientSession session() {
        return session;
    }

    @Override
    protected void reset() {
        super.reset();
        withdrawDue = false;
        failure = 0;
        operationId = 0;
        isNoted = false;
        eagerSlot = ClientRequests.NOT_EAGER;
        eagerSequence = 0;
        isDeadlineTold = false;
        pinned = false;
        copiedBytes = 0;
        complaint = null;
    }

    /**
     * Pins those of its buffers that lie in a pool, so that they cannot be freed.
     *
     * @return false if one lies in a block that was freed; nothing is pinned then
     */
    boolean pin(PinnedPool pool) {
        if (!pool.exists()) {
            return true;
        }
        Operation operation = operation();
        int pins = pool.pin(operation, operation.bufferCount(), Operation::buffer, false);
        pinned = pins == PinnedPool.PINNED;
        return pins != PinnedPool.REFUSED;
    }

    /** Unpins them. */
    void unpin(PinnedPool pool) {
        if (pinned) {
            pinned = false;
            Operation operation = operation();
            pool.unpin(operation, operation.bufferCount(), Operation::buffer);
        }
    }

    /**
     * Whether the thread that has just ended it reports it: its post does not see the end, and
     * nothing else must be sent.
     */
    boolean isReportDue() {
        return state == OVER && !inPost && !withdrawDue;
    }

    /**
     * Whether the thread inside its post decides its outcome although the post has failed. A thread
     * that copies its bytes goes on, and reports it.
     */
    boolean isOfPoster() {
        inPost &= state != COPYING;
        return inPost;
    }

    /** Whether it holds nothing to release or to send. */
    boolean isBare() {
        return eagerSlot < 0 && !pinned && complaint == null;
    }

    /** Whether this use of the slot is registered, and no thread works on it. */
    boolean isPending(long reference) {
        return state == PENDING && reference() == reference;
    }

    /** Whether the outcome of this use of the slot is known. */
    boolean isOver(long reference) {
        return state == OVER || reference() != reference;
    }

    /** Whether no thread works on it, so that it ends with the session. */
    boolean isIdle() {
        return state == PENDING || state == UNANSWERED || state == MOVING || state == REPORTING;
    }

    /** Whether the engine is to end it at its deadline, and was not told of that. */
    boolean owesDeadline() {
        Operation operation = operationOrNull();
        return state == PENDING
                && eagerSlot >= 0
                && !isDeadlineTold
                && operation != null
                && operation.hasDeadline();
    }
}
