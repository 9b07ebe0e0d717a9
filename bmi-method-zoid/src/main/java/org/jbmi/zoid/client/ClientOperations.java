package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.CLAIMED;
import static org.jbmi.zoid.client.ClientOperation.MOVING;
import static org.jbmi.zoid.client.ClientOperation.OVER;
import static org.jbmi.zoid.client.ClientOperation.PENDING;
import static org.jbmi.zoid.client.ClientOperation.POSTING;
import static org.jbmi.zoid.client.ClientOperation.REPORTING;
import static org.jbmi.zoid.client.ClientOperation.UNANSWERED;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.MessagePool;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.Slot;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A client's operations in one session: posts, cancels, and the engine's events about them.
 *
 * <p>The lock of the half guards the slots. No thread holds it while it copies more than 88 bytes,
 * calls the core, or waits. A thread puts short notes into the lane under it, if there is room. The
 * thread that moves a slot to {@code OVER} reports it, and no other. The thread that takes a
 * claimed slot from the deferred ones, or finds it at the end of its post, moves its bytes.
 *
 * <p>A post enters and leaves the session itself, under the same lock as its changes to the slot.
 * For all other calls the caller has entered the session.
 */
final class ClientOperations {
    private static final System.Logger LOG = System.getLogger(ClientOperations.class.getName());
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();
    private static final int NOT_SENT = ErrorCode.ETIMEDOUT.negativeValue();
    private static final int TOO_LONG = ErrorCode.EMSGSIZE.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final long NS_PER_MS = 1_000_000;

    /** {@link #post}: the session is shut. */
    static final long NOT_POSTED = Long.MIN_VALUE;

    private static final long ASK_NS = 10 * NS_PER_MS;
    private static final long POST_SLICE_NS = 20 * NS_PER_MS;

    /** What must be done about an event, without the lock. */
    private enum Due {
        NOTHING,
        REPORT,
        DEFER,
        RECALL,
        TELL_DEADLINE
    }

    private final MethodHost host;
    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final ClientPosts posts;
    private final ClientReplies replies;
    private final ClientNotes notes;
    private final PinnedPool pool;
    private final ClientWait wait;
    private final NanoClock clock;
    private final SlotTable<ClientOperation> table;
    private final DeferredSlots<ClientOperation> deferred = new DeferredSlots<>();
    private final MessagePool messages;
    private final ClientCancels cancels;
    private final CountedSends counted;
    private final KeptSends kept;
    private final LaterMoves laterMoves;
    private final AtomicInteger saying = new AtomicInteger();

    /** Allocated beforehand: a session also ends while the heap is full. */
    private final Consumer<ClientOperation> ending = this::end;

    private final Consumer<ClientOperation> cancelling = this::cancel;

    private final Consumer<ClientOperation> endingIfOver = this::endIfOver;

    private final Consumer<ClientOperation> telling = this::tellDeadline;
    private volatile boolean areDeadlinesOwed;
    private volatile boolean isQuestionOpen;
    private volatile int endCode;
    private int cancelCode;

    ClientOperations(
            MethodHost host,
            ClientLink link,
            SessionGuard guard,
            ClientCounters counters,
            PinnedPool pool,
            ClientWait wait,
            ClientSession session,
            MethodLimits limits,
            long callTimeoutNs,
            NanoClock clock) {
        this.host = host;
        this.link = link;
        this.guard = guard;
        this.counters = counters;
        this.copies = new ClientCopies(link);
        this.notes = new ClientNotes(link);
        this.messages = guard.newMessages();
        this.posts = new ClientPosts(link, notes, counters, copies, limits, callTimeoutNs);
        this.pool = pool;
        this.wait = wait;
        this.clock = clock;
        this.table =
                Slot.table(
                        link.limits().maxOperations(),
                        index -> new ClientOperation(session, index, counters.protocolErrors));
        this.replies = new ClientReplies(link, guard, counters, copies, table, clock);
        this.cancels = new ClientCancels(link, guard, notes, this::report);
        this.kept = new KeptSends(link, guard, counters, pool, limits, this::runDeferredAfter);
        this.counted = new CountedSends(host, guard, table, this::report);
        this.laterMoves = new LaterMoves(link, guard, counters, cancels, deferred);
    }

    /** Cancels operations. */
    ClientCancels cancels() {
        return cancels;
    }

    /** Cancels all operations for a close, as far as they can be cancelled. */
    void cancelAll(int code) {
        cancelCode = code;
        table.forEach(cancelling);
    }

    private void cancel(ClientOperation slot) {
        Operation operation = slot.operationOrNull();
        if (operation != null) {
            cancels.cancel(slot, operation, operation.id(), cancelCode);
        }
    }

    boolean isAnyPending() {
        guard.lock();
        int used = table.used();
        guard.unlock();
        return used > 0;
    }

    /** Whether an operation was pending a moment ago: for a caller that polls again soon. */
    boolean seemsAnyPending() {
        return table.used() > 0;
    }

    /** Sends unexpected messages that are over with that. */
    KeptSends kept() {
        return kept;
    }

    /**
     * Posts.
     *
     * @return as {@link Method#post}, or {@link #NOT_POSTED}
     */
    long post(Operation operation, int postTimeoutMs) {
        if (!guard.enterLocked()) {
            return NOT_POSTED;
        }
        boolean isLeft = noted(operation, postTimeoutMs);
        if (isLeft) {
            return Method.PENDING;
        }
        try {
            ClientOperation slot = takeSlot(operation);
            if (slot == null) {
                return ErrorCode.ENOBUFS.negativeValue();
            }
            long reference = slot.reference();
            try {
                operation.attachment(slot);
                if (!slot.pin(pool)) {
                    discard(slot);
                    return ErrorCode.EINVAL.negativeValue();
                }
                if (!posts.tryEncode(slot, operation, postTimeoutMs)) {
                    discard(slot);
                    return FAULT;
                }
                boolean waits = postTimeoutMs > 0;
                long untilNs = waits ? clock.nanoTime() + postTimeoutMs * NS_PER_MS : 0;
                int sent = posts.send(slot, operation, postTimeoutMs);
                isLeft = settleAtOnce(slot, sent);
                return isLeft ? Method.PENDING : settleAll(slot, sent, waits, untilNs);
            } catch (RuntimeException | Error e) {
                return failed(slot, reference, e);
            }
        } finally {
            if (!isLeft) {
                guard.exit();
            }
        }
    }

    // With the lock held: sends a note if there is room, marks it pending and leaves the session,
    // in one step. If it returns false the lock is still held and nothing was done.
    private boolean noted(Operation operation, int postTimeoutMs) {
        ClientOperation slot = null;
        int said = PeerChannel.NOT_SENT;
        try {
            if (isQuiet() && posts.mayBeShortNote(operation, postTimeoutMs)) {
                slot = Slot.take(table, operation);
            }
            if (slot != null) {
                said = tryNote(slot, operation);
            }
        } catch (RuntimeException | Error e) {
            if (slot == null) {
                guard.exitLocked();
                throw e;
            }
            // The engine may know of it, so it is pending until the session has ended.
            slot.state = PENDING;
            slot.inPost = false;
            endCode = endCode == 0 ? brokenCode() : endCode; // no other short note follows
            kept.end();
            kept.leave(e);
            return true;
        }
        if (said != PeerChannel.NOT_SENT) {
            kept.leave(said);
        }
        return said != PeerChannel.NOT_SENT;
    }

    private int tryNote(ClientOperation slot, Operation operation) {
        operation.attachment(slot);
        int said = slot.pin(pool) ? posts.tryNote(slot, operation) : PeerChannel.NOT_SENT;
        if (said == PeerChannel.NOT_SENT) {
            slot.unpin(pool);
            Slot.release(table, slot);
            return said;
        }
        slot.state = slot.isNoted ? PENDING : UNANSWERED;
        slot.inPost = false;
        if (!slot.isNoted) {
            counted.add(slot);
        }
        counters.post(operation.kind());
        counters.copied(slot.copiedBytes);
        return said;
    }

    // With the lock held: no thread waits, nothing is deferred, and the session is not closing.
    private boolean isQuiet() {
        return endCode == 0 && !wait.isWaiting() && !hasWork();
    }

    // A note of which nothing was heard yet becomes pending, and its thread leaves in the same
    // step. False if there is more to do.
    private boolean settleAtOnce(ClientOperation slot, int sent) {
        if (sent != ClientPosts.REGISTERED && sent != PeerChannel.TIMED_OUT) {
            return false;
        }
        guard.lock();
        if (slot.state != POSTING || slot.cancelCode != 0 || !isQuiet()) {
            guard.unlock();
            return false;
        }
        slot.state = sent == ClientPosts.REGISTERED ? PENDING : UNANSWERED;
        slot.inPost = false;
        counters.copied(slot.copiedBytes);
        guard.exitLocked();
        return true;
    }

    private long settleAll(ClientOperation slot, int sent, boolean waits, long untilNs) {
        long result = settle(slot, sent, waits, untilNs);
        runDeferredAfter();
        return result;
    }

    // Only the caller knows the result of the post, so it must get it whatever fails here.
    private void runDeferredAfter() {
        try {
            runDeferred();
        } catch (RuntimeException | Error e) {
            SessionFailure.end(link, e);
        }
    }

    // The engine may know of it, so the session ends. An operation that this thread still holds
    // ends here. Otherwise it is pending and ends with the session, or was reported.
    private long failed(ClientOperation slot, long reference, Throwable error) {
        SessionFailure.end(link, error);
        guard.lock();
        try {
            if (slot.reference() != reference || !slot.isOfPoster()) {
                return Method.PENDING;
            }
            slot.over(brokenCode(), 0);
        } finally {
            guard.unlock();
        }
        discard(slot);
        return brokenCode();
    }

    // Called with the lock held; releases it. Outcomes of notes may be on their way, and with them
    // free slots.
    private @Nullable ClientOperation takeSlot(Operation operation) {
        ClientOperation slot = takeLocked(operation);
        if (slot == null) {
            try {
                ask();
            } catch (Error e) {
                SessionFailure.endOrThrow(link, e);
            }
            guard.lock();
            slot = takeLocked(operation);
        }
        return slot;
    }

    private @Nullable ClientOperation takeLocked(Operation operation) {
        try {
            ClientOperation slot = Slot.take(table, operation);
            if (slot != null) {
                counters.post(operation.kind());
            }
            return slot;
        } finally {
            guard.unlock();
        }
    }

    // The posting thread decides the state of its operation, and leaves the session in the same
    // step. A grant that came before is moved by this thread; one that comes later, by any.
    private long settle(ClientOperation slot, int sent, boolean waits, long untilNs) {
        int state;
        boolean expires;
        boolean noted;
        boolean withdrawn;
        boolean recalled;
        long operationId;
        long reference;
        int eagerSlot;
        int cancelCode;
        guard.lock();
        try {
            counters.copied(slot.copiedBytes);
            settleReply(slot, sent);
        } finally {
            guard.unlock();
        }
        do {
            guard.lock();
            try {
                cancelCode = slot.cancelCode;
                boolean cancelled = slot.state == PENDING && cancelCode != 0;
                noted = cancelled && slot.isNoted;
                withdrawn = cancelled && !noted && cancels.takeBack(slot);
                recalled = cancelled && !noted && !withdrawn;
                slot.inPost = slot.state == CLAIMED || slot.state == OVER;
                eagerSlot = slot.eagerSlot;
                state = slot.state;
                expires = slot.owesDeadline();
                operationId = slot.operationId;
                reference = slot.reference();
            } finally {
                guard.unlock();
            }
            if (state == CLAIMED) {
                moveInPost(slot, waits, untilNs);
            }
        } while (state == CLAIMED);
        if (state != OVER) {
            if (recalled) {
                link.recallEager(eagerSlot, reference);
            }
            if (noted) {
                cancels.cancelNoted(slot, reference, cancelCode);
            }
            if (expires) {
                tellDeadline(slot);
            }
            wait.arm();
            endIfOver(slot);
            return Method.PENDING;
        }
        if (withdrawn) {
            notes.withdraw(operationId, reference);
        }
        return immediate(slot);
    }

    // While the posting thread holds the slot: with a timeout, waits until its bytes are moved. The
    // post has one timeout for all that it waits for.
    private void moveInPost(ClientOperation slot, boolean waits, long untilNs) {
        move(slot);
        if (!waits) {
            return;
        }
        long leftNs = untilNs - clock.nanoTime();
        while (isMoving(slot) && leftNs > 0 && link.brokenReason() == null) {
            if (link.progress() == 0) {
                link.awaitEvent(Math.min(leftNs, POST_SLICE_NS));
            }
            runDeferred();
            leftNs = untilNs - clock.nanoTime();
        }
    }

    private boolean isMoving(ClientOperation slot) {
        guard.lock();
        boolean isMoving = slot.state == MOVING;
        guard.unlock();
        return isMoving;
    }

    // Eager bytes may be taken while no thread calls here, so the host checks their deadline too.
    private void tellDeadline(ClientOperation slot) {
        long nowNs = clock.nanoTime();
        guard.lock();
        boolean isOwed = slot.owesDeadline();
        slot.isDeadlineTold |= isOwed;
        long leftNs = isOwed ? slot.operation().remainingNs(nowNs) : 0;
        long operationId = slot.operationId;
        long reference = slot.reference();
        guard.unlock();
        if (isOwed) {
            notes.expires(operationId, reference, Math.max(0, Math.ceilDiv(leftNs, NS_PER_MS)));
        }
    }

    // For posts whose answers came as events: a note may not be sent while events are dispatched.
    private int tellDeadlines() {
        if (!areDeadlinesOwed) {
            return 0;
        }
        areDeadlinesOwed = false;
        table.forEach(telling);
        return 1;
    }

    // An event may have ended it before its thread saw the reply. A grant was claimed even so, and
    // the engine waits for its DONE.
    private void settleReply(ClientOperation slot, int sent) {
        Message reply = slot.post;
        boolean isOpen = slot.state == POSTING;
        if (sent == PeerChannel.OK && (isOpen || reply.kind() == ClientEvents.GRANT)) {
            slot.failure = slot.outcome;
            replies.take(slot, reply, true);
        } else if (isOpen && sent == ClientPosts.REGISTERED) {
            slot.state = PENDING;
        } else if (isOpen && sent == PeerChannel.TIMED_OUT) {
            slot.state = UNANSWERED;
        } else if (isOpen) {
            slot.over(sent == PeerChannel.BROKEN ? brokenCode() : NOT_SENT, 0);
        }
    }

    private int brokenCode() {
        return link.brokenCode().negativeValue();
    }

    private long immediate(ClientOperation slot) {
        int code = slot.outcome;
        long bytes = slot.outcomeBytes;
        discard(slot);
        return code == 0 ? bytes : code;
    }

    // With no lock held, by the one thread that has the claimed slot. Returns whether it is to be
    // reported.
    private boolean move(ClientOperation slot) {
        if (link.movesLater()) {
            boolean isOver = laterMoves.start(slot);
            host.wake(); // a lead that sleeps in a selector waits for reading only
            if (!isOver) {
                endIfOver(slot);
            }
            return isOver;
        }
        Message grant = slot.grant;
        int status = tryMove(slot.operation(), grant);
        long bytes = status == 0 ? ClientEvents.grantBytes(grant) : 0;
        int sent = notes.done(ClientEvents.grantId(grant), bytes, status);
        guard.lock();
        try {
            counters.copied(bytes);
            int code = status;
            if (slot.failure != 0) {
                code = slot.failure;
            } else if (sent == PeerChannel.BROKEN) {
                code = brokenCode();
            }
            slot.over(code, bytes);
            if (sent != PeerChannel.KEPT) {
                return slot.isReportDue();
            }
            slot.state = REPORTING; // the other side's operation is pending until it is told
            saying.incrementAndGet();
        } finally {
            guard.unlock();
        }
        endIfOver(slot);
        return false;
    }

    // With no lock held: ends operations that the link has found room to tell.
    private int endSaid() {
        if (saying.get() == 0 || link.hasUnsaid()) {
            return 0;
        }
        int[] count = new int[1];
        table.forEach(
                slot -> {
                    boolean isOver;
                    guard.lock();
                    try {
                        boolean isSaying =
                                slot.operationOrNull() != null && slot.state == REPORTING;
                        if (!isSaying || link.hasUnsaid()) { // also one of later
                            return;
                        }
                        slot.state = OVER;
                        if (slot.failure != 0) {
                            slot.over(slot.failure, 0);
                        }
                        isOver = slot.isReportDue();
                    } finally {
                        guard.unlock();
                    }
                    saying.decrementAndGet();
                    count[0]++;
                    if (isOver) {
                        report(slot);
                    }
                });
        return count[0];
    }

    // A session that ended meanwhile has skipped an operation that this thread held.
    private void endIfOver(ClientOperation slot) {
        if (endCode != 0) {
            end(slot);
            host.wake();
        }
    }

    // Whatever fails here, DONE must be sent: the server's operation waits for it.
    private int tryMove(Operation operation, Message grant) {
        boolean receives = operation.kind() == OperationKind.RECEIVE;
        if (receives && ClientEvents.grantBytes(grant) > operation.sizeBytes()) {
            return TOO_LONG;
        }
        try {
            return copies.move(operation, grant) ? 0 : EPROTO;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            SessionFailure.warn(LOG, "a buffer cannot be used", e);
            return FAULT;
        }
    }

    private void discard(ClientOperation slot) {
        if (slot.eagerSlot >= 0) {
            link.releaseEagerSlot(slot.eagerSlot);
            slot.eagerSlot = ClientRequests.NOT_EAGER;
        }
        slot.unpin(pool);
        Throwable complaint = slot.complaint;
        if (complaint != null) {
            SessionFailure.warn(LOG, "a buffer cannot be used", complaint);
        }
        guard.lock();
        Slot.release(table, slot);
        guard.unlock();
    }

    private void report(ClientOperation slot) {
        Operation operation = slot.operation();
        int code = slot.outcome;
        long bytes = slot.outcomeBytes;
        discard(slot);
        host.complete(operation, code, bytes);
    }

    /** During dispatch: an event about an operation. */
    void onEvent(Message event) {
        if (event.kind() == ClientEvents.DATA_SLOT) {
            replies.copySlot(event, endingIfOver);
        }
        long reference = ClientEvents.reference(event);
        ClientOperation slot;
        Operation ended = null;
        int code = 0;
        long bytes = 0;
        int eagerSlot = ClientRequests.NOT_EAGER;
        Due due = Due.NOTHING;
        guard.lock();
        try {
            slot = table.find(reference);
            if (slot == null) {
                return; // cancelled, which the engine does not know yet
            }
            counted.remove(slot); // it is answered by itself
            due = take(slot, event);
            eagerSlot = slot.eagerSlot;
            if (due == Due.REPORT && slot.isBare()) {
                ended = slot.operation();
                code = slot.outcome;
                bytes = slot.outcomeBytes;
                Slot.release(table, slot);
            }
        } finally {
            guard.unlock();
        }
        if (ended != null) {
            host.complete(ended, code, bytes);
        } else if (due == Due.REPORT) {
            report(slot);
        } else if (due == Due.DEFER) {
            deferred.add(slot);
            host.wake();
        } else if (due == Due.RECALL) {
            link.recallEager(eagerSlot, reference);
        } else if (due == Due.TELL_DEADLINE) {
            areDeadlinesOwed = true;
            host.wake();
        }
    }

    /** See {@link CountedSends#onAccepted}. */
    boolean onAccepted(int count) {
        return counted.onAccepted(count);
    }

    private Due take(ClientOperation slot, Message event) {
        if (slot.state == OVER) {
            return Due.NOTHING;
        }
        if (slot.state == CLAIMED || slot.state == REPORTING) {
            if (event.kind() == ClientEvents.FAILED) {
                slot.failure = slot.codeOf(ClientEvents.failedCode(event));
            }
            return Due.NOTHING;
        }
        boolean isOffer = event.kind() == ClientEvents.GRANT;
        if (slot.state == MOVING && (isOffer || event.kind() == ClientEvents.PENDING)) {
            boolean isWithdrawn = laterMoves.backToPending(slot);
            if (!isOffer || slot.cancelCode != 0) {
                return isWithdrawn ? Due.DEFER : Due.NOTHING;
            }
        }
        replies.take(slot, event, false);
        if (slot.inPost) {
            return Due.NOTHING; // the posting thread is about to see it
        }
        if (slot.state == PENDING) {
            if (slot.cancelCode == 0 || slot.isNoted) {
                // a thread that cancels a note is about to see it
                return slot.owesDeadline() ? Due.TELL_DEADLINE : Due.NOTHING;
            }
            if (!cancels.takeBack(slot)) {
                return Due.RECALL;
            }
            slot.withdrawDue = true;
        }
        return slot.isReportDue() ? Due.REPORT : Due.DEFER;
    }

    /** Whether {@link #runDeferred} has anything to do. */
    boolean hasWork() {
        return deferred.hasWork() || saying.get() != 0 || areDeadlinesOwed;
    }

    /** Does the deferred work. The caller holds no lock. */
    int runDeferred() {
        int count = endSaid() + tellDeadlines();
        for (ClientOperation slot = deferred.poll(); slot != null; slot = deferred.poll()) {
            runDeferred(slot);
            count++;
        }
        return count;
    }

    private void runDeferred(ClientOperation slot) {
        try {
            if (slot.state == CLAIMED && !move(slot)) {
                return;
            }
        } catch (RuntimeException | Error e) {
            SessionFailure.end(link, e);
            guard.lock();
            try {
                if (slot.state != CLAIMED) {
                    return; // it has ended otherwise, or with the link that had its bytes
                }
                slot.over(brokenCode(), 0);
            } finally {
                guard.unlock();
            }
        }
        if (slot.withdrawDue) {
            notes.withdraw(slot.operationId, slot.reference());
        }
        report(slot);
    }

    /**
     * Asks the engine once for whatever is ready. A host that did not answer the last question in
     * time is not asked again before it has sent something. So a poll never waits for a stopped
     * host.
     */
    void ask() {
        if (isQuestionOpen || !link.hasRoom()) {
            link.progress();
            if (isQuestionOpen || !link.hasRoom()) {
                return;
            }
        }
        askNow();
    }

    // Waits for room as well.
    private void askNow() {
        counters.test();
        Message message = messages.take();
        isQuestionOpen = true;
        int result = link.call(ClientRequests.test(message, 0, 0), message, ASK_NS);
        if (result != PeerChannel.TIMED_OUT) {
            isQuestionOpen = false;
        }
        messages.give(message);
        runDeferred();
    }

    /**
     * Asks the engine once, which reads all messages whose sends are over before it answers.
     *
     * @return whether it has; false also if none was sent. An engine that has no room for the
     *     question, or does not answer it in time, reads them before the goodbye.
     */
    boolean areSentRead() {
        boolean isAny = kept.isAny();
        if (isAny && isQuestionOpen) {
            link.progress(); // it may have answered
        }
        if (isAny && !isQuestionOpen && link.brokenReason() == null) {
            askNow();
        }
        return isAny && !isQuestionOpen;
    }

    /** The engine has sent something: it is not stopped. */
    void heard() {
        if (isQuestionOpen) {
            isQuestionOpen = false;
        }
    }

    /** Ends everything that no thread posts or moves at this moment. */
    void endAll(int code) {
        endCode = code;
        kept.end();
        table.forEach(ending);
        host.wake();
    }

    private void end(ClientOperation slot) {
        guard.lock();
        try {
            if (slot.operationOrNull() == null || slot.inPost || !slot.isIdle()) {
                return;
            }
            if (slot.state == REPORTING) {
                saying.decrementAndGet();
            }
            counted.remove(slot);
            slot.over(endCode, 0);
        } finally {
            guard.unlock();
        }
        deferred.add(slot);
    }
}
