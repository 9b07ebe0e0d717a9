package org.jbmi.zoid.server;

import static org.jbmi.zoid.server.ServerOperation.OVER;
import static org.jbmi.zoid.server.ServerOperation.POSTING;
import static org.jbmi.zoid.server.ServerOperation.QUEUED;
import static org.jbmi.zoid.server.ServerOperation.REGISTERED;
import static org.jbmi.zoid.server.ServerOperation.SENT;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.Slot;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * The server's operations: posts, cancels, and the engine's events about them.
 *
 * <p>The lock of the half guards the slots. No thread holds it while it sends a message, copies
 * bytes, or calls the core. The thread that moves a slot to {@code OVER} reports it, and no other.
 * Events arrive with a lock of the engine or of the channel held; work that is not allowed there is
 * deferred to {@link #runDeferred}.
 *
 * <p>A post enters and leaves the session itself, under the same lock as its changes to the slot.
 * For all other calls the caller has entered the session.
 */
final class ServerOperations {
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int TIME_IS_OVER = ErrorCode.ETIMEDOUT.negativeValue();
    private static final int READY = 0;
    private static final int WAITS = 1;
    private static final long UNSETTLED = Long.MIN_VALUE;
    private static final long NS_PER_MS = 1_000_000;

    /**
     * Further slots, for sends at once whose outcome is in doubt. That shows only when the message
     * has gone. By then posts of other threads may have taken all of their slots.
     */
    private static final int DOUBT_SLOTS = 16;

    /** The result of a post whose memory could not be read. */
    private static final int UNREADABLE = 100;

    private final MethodHost host;
    private final EngineDoor door;
    private final PeerLine line;
    private final SessionGuard guard;
    private final Placement placement;
    private final ServerCounters counters;
    private final NanoClock clock;
    private final long callTimeoutNs;
    private final SlotTable<ServerOperation> table;
    private final int maxOperations;
    private final int mostAtOnceBytes;
    private final Retries retries;
    private final DeferredSlots<ServerOperation> deferred = new DeferredSlots<>();
    private volatile int endCode;

    /** Allocated beforehand: a session also ends while the heap is full. */
    private final Consumer<ServerOperation> ending = this::endWithAll;

    ServerOperations(
            MethodHost host,
            EngineDoor door,
            SessionGuard guard,
            Placement placement,
            ServerCounters counters,
            NanoClock clock,
            SessionLimits limits,
            long callTimeoutNs) {
        this.host = host;
        this.door = door;
        this.line = door.line();
        this.guard = guard;
        this.placement = placement;
        this.counters = counters;
        this.clock = clock;
        this.callTimeoutNs = callTimeoutNs;
        this.maxOperations = limits.maxOperations();
        this.mostAtOnceBytes = Math.max(ClientEvents.MAX_DATA_BYTES, limits.eagerBytes());
        this.table =
                Slot.table(
                        maxOperations + DOUBT_SLOTS,
                        index -> new ServerOperation(index, counters.protocolErrors));
        this.retries = new Retries(guard, placement, this::launch, counters, deferred, host::wake);
    }

    /** Posts, as {@link Method#post}. */
    long post(Operation operation) {
        int refusal = refusal(operation);
        if (refusal == 0 && mayGoAtOnce(operation)) {
            long result = sendAtOnce(operation);
            if (result != UNSETTLED) {
                return result;
            }
        }
        if (!guard.enterLocked()) {
            return CANCELLED;
        }
        boolean isLeft = false;
        try {
            ServerOperation slot = takeSlot(operation, refusal);
            if (slot == null) {
                return refusal == 0 ? ErrorCode.ENOBUFS.negativeValue() : refusal;
            }
            // One that waits may be over, and in use again, before tryPrepare returns.
            ZoidAddress to = (ZoidAddress) operation.address();
            long ready = tryPrepare(slot);
            if (ready < 0) {
                discard(slot);
                return ready;
            }
            if (ready == WAITS) {
                return queued(slot, to);
            }
            long reference = slot.reference();
            try {
                long waitNs = operation.neverWaits() ? EngineDoor.WITHOUT_WAITING : callTimeoutNs;
                int sent = door.post(described(slot), waitNs);
                runDeferred();
                long result = settleAtOnce(slot, sent);
                isLeft = result != UNSETTLED;
                if (isLeft) {
                    return result;
                }
                boolean mayWait = waitNs != EngineDoor.WITHOUT_WAITING;
                return settle(slot, sent, mayWait) ? immediate(slot) : pending(slot);
            } catch (RuntimeException | Error e) {
                return failed(slot, reference, e);
            }
        } finally {
            if (!isLeft) {
                guard.exit();
            }
        }
    }

    // A send from the pool that needs no grant, in front of which nothing waits here. A thread that
    // sends it need not enter the session: the door does nothing once it is closed.
    private boolean mayGoAtOnce(Operation operation) {
        return operation.sizeBytes() <= mostAtOnceBytes
                && operation.kind() == OperationKind.SEND
                && operation.bufferCount() == 1
                && !operation.poolOnly()
                && !operation.hasDeadline()
                && retries.isIdle()
                && hasFreeSlot();
    }

    // Whether posts may take one more slot; those for doubts do not count.
    private boolean hasFreeSlot() {
        return table.used() < maxOperations;
    }

    // Returns UNSETTLED if nothing was done.
    private long sendAtOnce(Operation operation) {
        long offset = placement.offsetOf(operation.buffer(0));
        if (offset < 0) {
            return UNSETTLED;
        }
        ZoidAddress to = (ZoidAddress) operation.address();
        long bytes = operation.sizeBytes();
        int sent =
                door.sendAtOnce(
                        to.session(), to.generation(), operation.tag(), offset, bytes, operation);
        if (deferred.hasWork()) {
            host.wake(); // an event that came meanwhile has left some
        }
        return switch (sent) {
            case EngineDoor.SENT -> bytes;
            case EngineDoor.IN_DOUBT -> {
                if (endCode != 0 && operation.attachment() instanceof ServerOperation slot) {
                    end(slot, endCode); // a session that ended meanwhile may have missed it
                    host.wake();
                }
                yield Method.PENDING;
            }
            case EngineDoor.UNDECIDED -> HOST_DOWN;
            default -> UNSETTLED;
        };
    }

    /** See {@link org.jbmi.zbmi.channel.DoorEvents#inDoubt}. */
    long inDoubt(Operation operation, long zoidId) {
        if (!guard.enterLocked()) {
            return 0;
        }
        try {
            ServerOperation slot = endCode == 0 ? Slot.take(table, operation) : null;
            if (slot == null) {
                return 0;
            }
            operation.attachment(slot);
            placement.prepare(slot, true);
            slot.zoidId = zoidId;
            slot.state = REGISTERED;
            slot.inPost = false;
            counters.commands.addBySingleWriter(1);
            return slot.reference();
        } finally {
            guard.exitLocked();
        }
    }

    private static int refusal(Operation operation) {
        ZoidAddress to = (ZoidAddress) operation.address();
        boolean isWrong = to.isServer() || operation.kind() == OperationKind.SEND_UNEXPECTED;
        return isWrong ? ErrorCode.EOPNOTSUPP.negativeValue() : to.failure();
    }

    // Called with the lock held; releases it. A single buffer is pinned before.
    private @Nullable ServerOperation takeSlot(Operation operation, int refusal) {
        try {
            boolean isTaken = refusal == 0 && hasFreeSlot();
            ServerOperation slot = isTaken ? Slot.take(table, operation) : null;
            if (slot != null && operation.bufferCount() == 1) {
                slot.needBytes = placement.prepare(slot, true);
            }
            return slot;
        } finally {
            guard.unlock();
        }
    }

    private long tryPrepare(ServerOperation slot) {
        slot.operation().attachment(slot);
        try {
            return prepare(slot);
        } catch (RuntimeException | Error e) {
            discard(slot); // no other thread knows of it
            throw e;
        }
    }

    // Returns READY, WAITS if it is in the no-memory queue, or the code of a refusal.
    private long prepare(ServerOperation slot) {
        boolean isPrepared = slot.operation().bufferCount() == 1;
        long needBytes = isPrepared ? slot.needBytes : placement.prepare(slot, false);
        if (needBytes < 0) {
            return needBytes;
        }
        if (retries.mustWait(slot, needBytes) || !allocate(slot, needBytes)) {
            retries.add(slot, needBytes);
            return WAITS;
        }
        return placement.fill(slot) ? READY : FAULT;
    }

    private boolean allocate(ServerOperation slot, long needBytes) {
        if (needBytes == 0) {
            return true;
        }
        guard.lock();
        try {
            return placement.allocate(slot, needBytes);
        } finally {
            guard.unlock();
        }
    }

    // From here on other threads may serve and end it. So a failure ends the session, and the
    // operation with it.
    private long queued(ServerOperation slot, ZoidAddress to) {
        try {
            retries.memoryFreed();
            if (to.failure() != 0) { // the client may have failed before this operation was queued
                endIfGone(slot, to.session(), to.generation(), to.failure());
            }
            return pending(slot);
        } catch (RuntimeException | Error e) {
            SessionFailure.end(line, e);
            return Method.PENDING;
        }
    }

    // The engine may know of it, so the session ends. An operation that this thread still holds
    // ends here. Otherwise it is pending and ends with the session, or was reported.
    private long failed(ServerOperation slot, long reference, Throwable error) {
        SessionFailure.end(line, error);
        guard.lock();
        try {
            if (slot.reference() != reference || !slot.inPost) {
                return Method.PENDING;
            }
            slot.inPost = false;
            slot.over(HOST_DOWN, 0);
        } finally {
            guard.unlock();
        }
        discard(slot);
        return HOST_DOWN;
    }

    private ServerPost described(ServerOperation slot) {
        Operation operation = slot.operation();
        ZoidAddress to = (ZoidAddress) operation.address();
        ServerPost post = slot.post;
        post.isSend = operation.kind() == OperationKind.SEND;
        post.reference = slot.reference();
        post.session = to.session();
        post.generation = to.generation();
        post.tag = operation.tag();
        post.expiryMs = expiryMs(operation);
        post.bytes = operation.sizeBytes();
        post.offset = slot.offset;
        post.listOffset = Math.max(0, slot.listOffset);
        post.listEntries = slot.listEntries;
        return post;
    }

    // The engine checks the deadline as well, since it may match while no thread calls here.
    private int expiryMs(Operation operation) {
        if (!operation.hasDeadline()) {
            return ServerRequests.NEVER;
        }
        long leftNs = operation.remainingNs(clock.nanoTime());
        return Math.clamp(Math.ceilDiv(leftNs, NS_PER_MS), 0, Integer.MAX_VALUE);
    }

    // A send from the program's own blocks that completes in its post is released in one step with
    // leaving the session.
    private long settleAtOnce(ServerOperation slot, int sent) {
        boolean isOver =
                sent == PeerLine.OK
                        && slot.post.answer() == ServerEvents.POST_COMPLETED
                        && slot.post.isSend
                        && !slot.hasBlock();
        if (!isOver) {
            return UNSETTLED;
        }
        guard.lock();
        if (slot.state != POSTING) {
            guard.unlock();
            return UNSETTLED;
        }
        boolean isDone = false;
        try {
            counters.commands.addBySingleWriter(1);
            slot.take(slot.post.answer(), slot.post.value());
            int code = slot.outcome;
            long bytes = slot.outcomeBytes;
            counters.immediate.addBySingleWriter(code == 0 ? 1 : 0);
            placement.release(slot, true);
            Slot.release(table, slot);
            isDone = true;
            return code == 0 ? bytes : code;
        } finally {
            if (isDone) {
                guard.exitLocked();
            } else {
                guard.unlock();
            }
        }
    }

    // The posting thread decides the state of its operation. Returns whether it is over; then only
    // this thread reports it.
    private boolean settle(ServerOperation slot, int sent, boolean mayWait) {
        long reference;
        long zoidId;
        boolean isOver;
        boolean withdraw;
        int cancelCode;
        guard.lock();
        try {
            slot.inPost = false;
            counters.commands.addBySingleWriter(1);
            if (slot.state == POSTING) {
                switch (sent) {
                    case PeerLine.OK -> slot.take(slot.post.answer(), slot.post.value());
                    case PeerLine.TIMED_OUT -> slot.state = SENT;
                    case PeerLine.NOT_SENT -> slot.over(TIME_IS_OVER, 0);
                    case UNREADABLE -> slot.over(FAULT, 0);
                    default -> slot.over(HOST_DOWN, 0);
                }
            }
            isOver = slot.state == OVER;
            slot.inPost = isOver; // this thread reports it, even if something fails before
            cancelCode = slot.cancelCode;
            withdraw = slot.state == REGISTERED && cancelCode != 0;
            reference = slot.reference();
            zoidId = slot.zoidId;
        } finally {
            guard.unlock();
        }
        if (withdraw) {
            // Another thread cancelled it during the post; the thread that ends it reports it.
            cancelRegistered(slot, reference, zoidId, cancelCode, mayWait);
        }
        return isOver;
    }

    // A session that ended meanwhile has skipped an operation that its thread still held.
    private long pending(ServerOperation slot) {
        if (endCode != 0) {
            end(slot, endCode);
            runDeferred();
        }
        return Method.PENDING;
    }

    private long immediate(ServerOperation slot) {
        int code = slot.outcome;
        long bytes = slot.outcomeBytes;
        if (code == 0) {
            guard.lock();
            counters.immediate.addBySingleWriter(1);
            guard.unlock();
            code = placement.copyOutIfNeeded(slot, bytes) ? 0 : FAULT;
        }
        discard(slot);
        return code == 0 ? bytes : code;
    }

    private void discard(ServerOperation slot) {
        boolean freed = placement.release(slot, false);
        guard.lock();
        Slot.release(table, slot);
        guard.unlock();
        if (freed) {
            blockFreed();
        }
    }

    // The program must get the outcome, whatever fails after its slot was released.
    private void blockFreed() {
        try {
            retries.memoryFreed();
        } catch (RuntimeException | Error e) {
            SessionFailure.end(line, e);
        }
    }

    // The slot is OVER, and only this thread uses it.
    private void report(ServerOperation slot) {
        Operation operation = slot.operation();
        long bytes = slot.outcomeBytes;
        boolean isLost = slot.outcome == 0 && !placement.copyOutIfNeeded(slot, bytes);
        int code = isLost ? FAULT : slot.outcome;
        discard(slot);
        host.complete(operation, code, bytes);
    }

    private void launch(ServerOperation slot) {
        int sent;
        try {
            sent =
                    placement.fill(slot)
                            ? door.post(described(slot), EngineDoor.WITHOUT_WAITING)
                            : UNREADABLE;
        } catch (RuntimeException | Error e) {
            SessionFailure.end(line, e);
            sent = PeerLine.BROKEN;
        }
        if (settle(slot, sent, false)) {
            report(slot);
        } else {
            pending(slot);
        }
    }

    CancelOutcome cancel(Operation operation, long id, int code) {
        if (!(operation.attachment() instanceof ServerOperation slot)) {
            return CancelOutcome.ALREADY_DONE;
        }
        long reference;
        long zoidId;
        boolean wasQueued = false;
        guard.lock();
        try {
            if (!slot.isOf(operation) || operation.id() != id) {
                return CancelOutcome.ALREADY_DONE;
            }
            if (slot.inPost && slot.state != OVER) {
                slot.cancelCode = code;
                return CancelOutcome.REQUESTED;
            }
            switch (slot.state) {
                case SENT -> {
                    slot.cancelCode = code;
                    return CancelOutcome.REQUESTED;
                }
                case QUEUED -> {
                    retries.remove(slot);
                    slot.over(code, 0);
                    wasQueued = true;
                }
                case REGISTERED -> slot.cancelCode = code;
                default -> {
                    return CancelOutcome.ALREADY_DONE;
                }
            }
            reference = slot.reference();
            zoidId = slot.zoidId;
        } finally {
            guard.unlock();
        }
        if (wasQueued) {
            report(slot);
            blockFreed();
            return CancelOutcome.CANCELLED;
        }
        return cancelRegistered(slot, reference, zoidId, code, code != TIME_IS_OVER);
    }

    // A remote engine is told once; an answer that is not there at once comes as an event. A
    // deadline passes while all methods wait, so it does not wait for the answer.
    private CancelOutcome cancelRegistered(
            ServerOperation slot, long reference, long zoidId, int code, boolean mayWait) {
        guard.lock();
        try {
            if (slot.reference() != reference || slot.state != REGISTERED) {
                return CancelOutcome.ALREADY_DONE;
            }
            if (slot.isCancelTold && !door.answersAtOnce()) {
                return CancelOutcome.REQUESTED;
            }
            slot.isCancelTold = true;
            counters.commands.addBySingleWriter(1);
        } finally {
            guard.unlock();
        }
        int outcome = door.cancel(reference, zoidId, mayWait);
        if (mayWait) {
            runDeferred(); // otherwise the caller is runDeferred
        }
        return switch (outcome) {
            case ServerEvents.CANCELLED ->
                    cancelled(slot, reference, code)
                            ? CancelOutcome.CANCELLED
                            : CancelOutcome.ALREADY_DONE;
            case ServerEvents.REQUESTED -> CancelOutcome.REQUESTED;
            default -> CancelOutcome.ALREADY_DONE;
        };
    }

    /**
     * The engine has cancelled it: it ends with the code of that cancel, although the slot may have
     * the code of a later one. False if the session's end was quicker with another code.
     */
    private boolean cancelled(ServerOperation slot, long reference, int code) {
        guard.lock();
        try {
            if (slot.reference() != reference || slot.state != REGISTERED) {
                return false;
            }
            slot.over(code, 0);
            if (slot.cancelDue) {
                return true; // it is in the queue of deferred slots, and is reported from there
            }
        } finally {
            guard.unlock();
        }
        report(slot);
        return true;
    }

    /** Event: a registered operation is over. */
    void onCompletion(long reference, int code, long bytes) {
        ServerOperation slot;
        guard.lock();
        try {
            slot = table.find(reference);
            if (slot == null || slot.state == OVER || slot.state == QUEUED) {
                return;
            }
            boolean isOwnWish = code == CANCELLED && slot.cancelCode != 0;
            slot.over(isOwnWish ? slot.cancelCode : code == 0 ? 0 : slot.codeOf(code), bytes);
            if (slot.inPost || slot.cancelDue) {
                return; // the posting thread, or the deferred work, is about to see it
            }
        } finally {
            guard.unlock();
        }
        reportFromDispatch(slot);
    }

    private void reportFromDispatch(ServerOperation slot) {
        if (slot.hasBlock()) {
            deferred.add(slot);
            host.wake();
        } else {
            report(slot);
        }
    }

    /** Event: an answer to a post that no thread waits for, or no longer. */
    void onAnswer(long reference, int kind, long value) {
        ServerOperation slot;
        guard.lock();
        try {
            slot = table.find(reference);
            if (slot == null) {
                return;
            }
            if (kind == ServerEvents.CANCEL_REPLY) {
                if ((int) value != ServerEvents.CANCELLED || slot.state != REGISTERED) {
                    return;
                }
                slot.over(slot.cancelCode, 0);
                if (slot.cancelDue) {
                    return; // it is in the queue of deferred slots already
                }
            } else if (slot.state == SENT || slot.state == POSTING) {
                slot.take(kind, value);
                if (slot.inPost) {
                    return;
                }
                slot.cancelDue = slot.state == REGISTERED && slot.cancelCode != 0;
                if (slot.state == REGISTERED && !slot.cancelDue) {
                    return;
                }
            } else {
                return;
            }
        } finally {
            guard.unlock();
        }
        deferred.add(slot);
        host.wake();
    }

    /** Does the deferred work. The caller holds no lock. */
    int runDeferred() {
        int count = 0;
        for (ServerOperation slot = deferred.poll(); slot != null; slot = deferred.poll()) {
            runDeferred(slot);
            count++;
        }
        if (count > 0) {
            retries.memoryFreed(); // one that none may pass may have left the queue
        }
        return count;
    }

    private void runDeferred(ServerOperation slot) {
        boolean cancel;
        boolean isOver;
        long reference;
        long zoidId;
        int cancelCode;
        guard.lock();
        try {
            isOver = slot.state == OVER;
            cancelCode = slot.cancelCode;
            cancel = slot.cancelDue && slot.state == REGISTERED;
            slot.cancelDue = false;
            reference = slot.reference();
            zoidId = slot.zoidId;
        } finally {
            guard.unlock();
        }
        if (cancel) {
            cancelRegistered(slot, reference, zoidId, cancelCode, false);
        }
        if (isOver) {
            report(slot);
        }
    }

    /** The program freed a block; a round of progress gives it to operations that wait. */
    void memoryFreed() {
        retries.memoryFreed();
    }

    /** What shows whether {@link #progress} has anything to do. */
    DeferredSlots<ServerOperation> deferred() {
        return deferred;
    }

    /** A round of progress: does the deferred work, and serves operations that wait for memory. */
    int progress() {
        return runDeferred() + retries.serve();
    }

    /** Cancels everything, without waiting for the outcomes. */
    void cancelAll(int code) {
        table.forEach(slot -> cancelLater(slot, code));
        runDeferred();
    }

    private void cancelLater(ServerOperation slot, int code) {
        guard.lock();
        try {
            if (slot.operationOrNull() == null || slot.cancelDue) {
                return;
            }
            switch (slot.inPost ? POSTING : slot.state) {
                case QUEUED -> {
                    retries.remove(slot);
                    slot.over(code, 0);
                }
                case REGISTERED -> {
                    slot.cancelCode = code;
                    slot.cancelDue = true;
                }
                default -> {
                    slot.cancelCode = code; // used when the reply comes
                    return;
                }
            }
        } finally {
            guard.unlock();
        }
        deferred.add(slot);
    }

    /** Ends everything that no posting thread holds; {@link #runDeferred} must follow. */
    void endAll(int code) {
        endCode = code;
        table.forEach(ending);
        host.wake();
    }

    private void endWithAll(ServerOperation slot) {
        end(slot, endCode);
    }

    private void end(ServerOperation slot, int code) {
        guard.lock();
        try {
            if (slot.operationOrNull() == null || slot.inPost || slot.state == OVER) {
                return;
            }
            if (slot.state == QUEUED) {
                retries.remove(slot);
            }
            slot.over(code, 0);
            if (slot.cancelDue) {
                return; // it is in the queue of deferred slots already
            }
        } finally {
            guard.unlock();
        }
        deferred.add(slot);
    }

    /**
     * During dispatch: a client has gone, and with it the operations for it that wait for memory,
     * which the engine does not know. {@link #runDeferred} must follow.
     */
    void clientGone(int session, int generation, int code) {
        if (!retries.isIdle()) {
            table.forEach(slot -> endIfGone(slot, session, generation, code));
        }
    }

    // The program may have dropped the address meanwhile, which then does not show that the client
    // has gone.
    private void endIfGone(ServerOperation slot, int session, int generation, int code) {
        guard.lock();
        try {
            Operation operation = slot.operationOrNull();
            if (operation == null
                    || slot.state != QUEUED
                    || !((ZoidAddress) operation.address()).isLife(session, generation)) {
                return;
            }
            retries.remove(slot);
            slot.over(code, 0);
        } finally {
            guard.unlock();
        }
        deferred.add(slot);
        host.wake();
    }

    int pending() {
        guard.lock();
        int pending = table.used();
        guard.unlock();
        return pending;
    }
}
