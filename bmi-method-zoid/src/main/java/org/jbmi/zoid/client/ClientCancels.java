package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.OVER;
import static org.jbmi.zoid.client.ClientOperation.PENDING;

import org.jbmi.CancelOutcome;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zoid.common.SessionGuard;

import java.util.function.Consumer;

/**
 * Cancels a client's operations. Either this side decides a cancel at once, or it asks the engine,
 * which decides. The side that decides ends the operation. The caller has entered the session.
 */
final class ClientCancels {
    private static final int WITHDRAWN = -2;
    private static final int COUNTED = -3;

    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientNotes notes;
    private final Consumer<ClientOperation> reporter;

    ClientCancels(
            ClientLink link,
            SessionGuard guard,
            ClientNotes notes,
            Consumer<ClientOperation> reporter) {
        this.link = link;
        this.guard = guard;
        this.notes = notes;
        this.reporter = reporter;
    }

    CancelOutcome cancel(ClientOperation slot, Operation operation, long id, int code) {
        long operationId;
        long reference;
        int recall = -1;
        guard.lock();
        try {
            if (!slot.isOf(operation) || operation.id() != id || slot.state == OVER) {
                return CancelOutcome.ALREADY_DONE;
            }
            slot.cancelCode = code;
            operationId = slot.operationId;
            reference = slot.reference();
            if (slot.isNoted && slot.state == PENDING && !slot.inPost) {
                recall = COUNTED;
            } else if (slot.inPost || slot.state != PENDING || !takeBack(slot)) {
                boolean isEager = slot.state == PENDING && !slot.inPost;
                recall = isEager ? slot.eagerSlot : -1;
            } else {
                recall = WITHDRAWN;
            }
        } finally {
            guard.unlock();
        }
        if (recall == COUNTED) {
            return cancelNoted(slot, reference, code);
        }
        if (recall != WITHDRAWN) {
            link.recallEager(recall, reference);
            return CancelOutcome.REQUESTED;
        }
        notes.withdraw(operationId, reference);
        reporter.accept(slot);
        return CancelOutcome.CANCELLED;
    }

    // The engine may be sending the bytes of such a receive: HandOvers in the engine
    // explains why this side decides. A cancel is counted once for an operation, since a message
    // may have to be kept for each count.
    CancelOutcome cancelNoted(ClientOperation slot, long reference, int code) {
        boolean isCancelled = false;
        synchronized (this) {
            if (isPending(slot, reference)) {
                long number = link.countCancel();
                link.hearAll();
                isCancelled = takeBackNoted(slot, reference, code);
                notes.cancelled(number, isCancelled ? reference : 0);
            }
        }
        if (isCancelled) {
            reporter.accept(slot);
            return CancelOutcome.CANCELLED;
        }
        guard.lock();
        boolean isOver = slot.isOver(reference);
        guard.unlock();
        return isOver ? CancelOutcome.ALREADY_DONE : CancelOutcome.REQUESTED;
    }

    private boolean isPending(ClientOperation slot, long reference) {
        guard.lock();
        boolean isPending = slot.isPending(reference);
        guard.unlock();
        return isPending;
    }

    // After a session broke some events are missing: the operation ends with that, not with a
    // cancel. Otherwise it ends with the code of this cancel: the slot may have that of a later
    // one.
    private boolean takeBackNoted(ClientOperation slot, long reference, int code) {
        guard.lock();
        try {
            if (!slot.isPending(reference) || link.brokenReason() != null) {
                return false;
            }
            slot.over(code, 0);
            return true;
        } finally {
            guard.unlock();
        }
    }

    /**
     * With the lock held: decides a cancel on this side; false if the engine has taken the bytes.
     */
    boolean takeBack(ClientOperation slot) {
        if (slot.eagerSlot >= 0) {
            if (!link.withdrawEager(slot.eagerSlot, slot.eagerSequence)) {
                return false;
            }
            slot.eagerSlot = ClientRequests.NOT_EAGER;
        }
        slot.over(slot.cancelCode, 0);
        return true;
    }
}
