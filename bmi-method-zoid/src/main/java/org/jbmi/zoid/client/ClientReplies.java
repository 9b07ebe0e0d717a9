package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.CLAIMED;
import static org.jbmi.zoid.client.ClientOperation.COPYING;
import static org.jbmi.zoid.client.ClientOperation.PENDING;
import static org.jbmi.zoid.client.ClientOperation.POSTING;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.SessionGuard;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * Changes the state of an operation by what the engine reports. Every value from the engine is
 * checked. The caller holds the lock of the half, except for {@link #copySlot}.
 */
final class ClientReplies {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();

    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final SlotTable<ClientOperation> table;
    private final NanoClock clock;

    ClientReplies(
            ClientLink link,
            SessionGuard guard,
            ClientCounters counters,
            ClientCopies copies,
            SlotTable<ClientOperation> table,
            NanoClock clock) {
        this.link = link;
        this.guard = guard;
        this.counters = counters;
        this.copies = copies;
        this.table = table;
        this.clock = clock;
    }

    /** Takes a reply to a post, or an event; a grant may be claimed already, or is claimed here. */
    void take(ClientOperation slot, Message reply, boolean claimed) {
        switch (reply.kind()) {
            case ClientEvents.PENDING -> {
                slot.operationId = ClientEvents.operationId(reply);
                slot.state = PENDING;
            }
            case ClientEvents.GRANT -> {
                if (claimed || (!isExpired(slot) && link.claim(reply))) {
                    slot.grant.copyFrom(reply);
                    slot.state = CLAIMED;
                } else {
                    counters.voidGrants.increment();
                    slot.operationId = ClientEvents.operationId(reply);
                    slot.state = PENDING;
                }
            }
            case ClientEvents.DATA -> overWith(slot, copyData(slot, reply), reply);
            case ClientEvents.DATA_SLOT ->
                    // A receive that cannot take such a message has got nothing.
                    overWith(slot, slot.state == COPYING ? slot.outcome : slot.codeOf(0), reply);
            case ClientEvents.COMPLETED -> slot.over(0, ClientEvents.completedBytes(reply));
            case ClientEvents.FAILED -> slot.over(failureOf(slot, reply), 0);
            default -> slot.over(slot.codeOf(0), 0);
        }
    }

    private void overWith(ClientOperation slot, int code, Message data) {
        long bytes = ClientEvents.dataBytes(data);
        counters.copied(code == 0 ? bytes : 0);
        slot.over(code, bytes);
    }

    /**
     * During dispatch and without the lock: copies a message out of a data slot to its receive, if
     * that still waits, and gives the slot back. If the session ends or the program cancels
     * meanwhile, the receive is over with its bytes.
     *
     * @param endIfOver ends an operation if the session has ended
     */
    void copySlot(Message event, Consumer<ClientOperation> endIfOver) {
        ClientOperation receive = beginCopy(event);
        boolean isDone = false;
        try {
            if (receive != null) {
                receive.outcome = copyData(receive, event);
            }
            link.releaseDataSlot();
            isDone = true;
        } finally {
            if (!isDone && receive != null) {
                // It ends with the session, which may have ended before and left it here.
                guard.lock();
                receive.state = PENDING;
                guard.unlock();
                endIfOver.accept(receive);
            }
        }
    }

    // Only a receive that was posted as a note: no answer of the engine can end it meanwhile.
    private @Nullable ClientOperation beginCopy(Message event) {
        guard.lock();
        ClientOperation found = table.find(ClientEvents.reference(event));
        if (found != null && found.isNoted && (found.state == PENDING || found.state == POSTING)) {
            found.state = COPYING;
        } else {
            found = null;
        }
        guard.unlock();
        return found;
    }

    // Copies the bytes of a DATA or a DATA_SLOT to the program's buffers. The receive ends with it
    // for the engine too, even if these cannot be used. Returns 0, or the code of the receive.
    private int copyData(ClientOperation slot, Message data) {
        Operation operation = slot.operation();
        boolean fits =
                operation.kind() == OperationKind.RECEIVE
                        && ClientEvents.dataBytes(data) <= operation.sizeBytes()
                        && copies.isInSlot(data);
        if (!fits) {
            return slot.codeOf(0);
        }
        try {
            copies.takeData(operation, data);
            return 0;
        } catch (RuntimeException | Error e) {
            slot.complaint = e; // logged without the lock
            return FAULT;
        }
    }

    // An expired operation is not matched any more; the core is about to cancel it.
    private boolean isExpired(ClientOperation slot) {
        return slot.operation().hasDeadline() && slot.operation().isExpired(clock.nanoTime());
    }

    // An operation that the program cancelled ends with the code of that cancel.
    private int failureOf(ClientOperation slot, Message failed) {
        int code = slot.codeOf(ClientEvents.failedCode(failed));
        return code == CANCELLED && slot.cancelCode != 0 ? slot.cancelCode : code;
    }
}
