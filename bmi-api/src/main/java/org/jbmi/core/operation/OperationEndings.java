package org.jbmi.core.operation;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.spi.Method;
import org.jspecify.annotations.Nullable;

/** Cancels operations: one, or all of a context or a peer. Any thread. */
public final class OperationEndings {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    private final OperationTable table;

    public OperationEndings(OperationTable table) {
        this.table = table;
    }

    /** Cancels an operation of a context. */
    public CancelOutcome cancel(CompletionQueue queue, long id) {
        CoreOperation operation = table.find(id);
        return operation == null || operation.queue != queue
                ? CancelOutcome.UNKNOWN
                : cancel(operation, id, CANCELLED);
    }

    static CancelOutcome cancel(CoreOperation operation, long id, int code) {
        Method method = operation.method;
        return method == null ? CancelOutcome.UNKNOWN : method.cancel(operation, id, code);
    }

    /**
     * Cancels all operations of a context.
     *
     * @return whether bytes of some are being moved, so that these complete later
     */
    public boolean cancelAll(CompletionQueue queue) {
        boolean[] moves = new boolean[1];
        table.forEach(
                operation -> {
                    long id = operation.id();
                    if (operation.queue == queue
                            && id != 0
                            && cancel(operation, id, CANCELLED) == CancelOutcome.REQUESTED) {
                        moves[0] = true;
                    }
                });
        return moves[0];
    }

    /** Cancels all operations of a peer that the program dropped; each is reported as usual. */
    public void cancelAll(CorePeer peer) {
        table.forEach(
                operation -> {
                    long id = operation.id();
                    if (id != 0 && operation.peer == peer) {
                        cancel(operation, id, CANCELLED);
                    }
                });
    }

    /** Whether an operation of a context is pending. */
    public boolean isAnyPending(CompletionQueue queue) {
        boolean[] pending = new boolean[1];
        table.forEach(
                operation ->
                        pending[0] |=
                                operation.queue == queue
                                        && operation.state == CoreOperation.PENDING);
        return pending[0];
    }

    /**
     * Wakes the callers blocked on operations that will never complete.
     *
     * @param only those of one context; null for all
     */
    public void abandonAll(@Nullable CompletionQueue only) {
        table.forEach(
                operation -> {
                    CompletionQueue queue = operation.queue;
                    if (queue != null && (only == null || queue == only)) {
                        queue.abandon(operation);
                    }
                });
    }
}
