package org.jbmi.core.operation;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.spi.Failures;
import org.jbmi.spi.Method;
import org.jspecify.annotations.Nullable;

import java.util.function.ObjLongConsumer;

/** Cancels operations: one, or all of a context or a peer. Any thread may call this. */
public final class OperationEndings {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    private final OperationTable table;

    public OperationEndings(OperationTable table) {
        this.table = table;
    }

    /** Cancels an operation of a context. */
    public CancelOutcome cancel(CompletionQueue queue, long id) {
        CoreOperation operation = table.find(id);
        if (operation == null || operation.queue != queue) {
            return CancelOutcome.UNKNOWN;
        }
        return queue.isDone(operation, id)
                ? CancelOutcome.ALREADY_DONE // which its method may not know any more
                : cancel(operation, id, CANCELLED);
    }

    static CancelOutcome cancel(CoreOperation operation, long id, int code) {
        Method method = operation.method;
        return method == null ? CancelOutcome.UNKNOWN : method.cancel(operation, id, code);
    }

    /**
     * Cancels all operations of a context. If a method fails, the others are cancelled all the
     * same, and the first failure is thrown at the end. Allocates nothing: a program may close a
     * context with a full heap.
     *
     * @param awaitOutcomes waits for those that complete later: bytes of them are being moved, or
     *     another thread has their outcome and is about to report it
     * @param endNs is passed to it
     */
    public void cancelAll(
            CompletionQueue queue, ObjLongConsumer<CompletionQueue> awaitOutcomes, long endNs) {
        Throwable failure = cancelEach(queue, null);
        try {
            awaitOutcomes.accept(queue, endNs);
        } catch (RuntimeException | Error e) {
            failure = Failures.first(failure, e);
        }
        Failures.rethrow(failure);
    }

    /**
     * Cancels all operations of a peer that the program dropped; each is reported as usual. If a
     * method fails, the others are cancelled all the same, and the first failure is thrown.
     * Allocates nothing.
     */
    public void cancelAll(CorePeer peer) {
        Failures.rethrow(cancelEach(null, peer));
    }

    /** Those of a context or of a peer; returns the first failure. */
    private @Nullable Throwable cancelEach(
            @Nullable CompletionQueue queue, @Nullable CorePeer peer) {
        Throwable failure = null;
        int count = table.countToVisit();
        for (int slot = 0; slot < count; slot++) {
            CoreOperation operation = table.at(slot);
            long id = operation.id();
            boolean isMeant = queue == null ? operation.peer == peer : operation.queue == queue;
            if (id != 0 && isMeant) {
                try {
                    cancel(operation, id, CANCELLED);
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
            }
        }
        return failure;
    }

    /** Whether an operation of a context is pending. */
    public boolean isAnyPending(CompletionQueue queue) {
        int count = table.countToVisit();
        for (int slot = 0; slot < count; slot++) {
            CoreOperation operation = table.at(slot);
            if (operation.queue == queue && operation.state == CoreOperation.PENDING) {
                return true;
            }
        }
        return false;
    }

    /** Wakes all callers blocked on operations: none completes from now on. */
    public void abandonAll() {
        abandonAll(null);
    }

    /**
     * Wakes the callers blocked on operations that will never complete.
     *
     * @param only those of one context; null for all
     */
    public void abandonAll(@Nullable CompletionQueue only) {
        int count = table.countToVisit();
        for (int slot = 0; slot < count; slot++) {
            CoreOperation operation = table.at(slot);
            CompletionQueue queue = operation.queue;
            if (queue != null && (only == null || queue == only)) {
                queue.abandon(operation);
            }
        }
    }
}
