package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.CLAIMED;
import static org.jbmi.zoid.client.ClientOperation.COPYING;
import static org.jbmi.zoid.client.ClientOperation.OVER;
import static org.jbmi.zoid.client.ClientOperation.PENDING;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;

/**
 * Changes the state of an operation by what the engine reports. Every value from the engine is
 * checked. The caller holds the lock of the half.
 */
final class ClientReplies {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();

    private final ClientLink link;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final NanoClock clock;

    ClientReplies(ClientLink link, ClientCounters counters, ClientCopies copies, NanoClock clock) {
        this.link = link;
        this.copies = copies;
        this.counters = counters;
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
            case ClientEvents.DATA -> takeData(slot, reply);
            case ClientEvents.DATA_SLOT -> takeCopied(slot, reply);
            case ClientEvents.COMPLETED -> over(slot, 0, ClientEvents.completedBytes(reply));
            case ClientEvents.FAILED -> over(slot, failureOf(slot, reply), 0);
            default -> over(slot, codeOf(0), 0);
        }
    }

    private void takeData(ClientOperation slot, Message data) {
        overWith(slot, copyData(slot, data), data);
    }

    private void overWith(ClientOperation slot, int code, Message data) {
        long bytes = ClientEvents.dataBytes(data);
        counters.copied(code == 0 ? bytes : 0);
        over(slot, code, bytes);
    }

    // The code is that of the copy. A receive for which nothing was copied cannot be one that takes
    // such a message.
    private void takeCopied(ClientOperation slot, Message data) {
        int code = slot.state == COPYING ? slot.outcome : codeOf(0);
        overWith(slot, code, data);
    }

    /**
     * Copies the bytes of a DATA or a DATA_SLOT to the program's buffers. The receive ends with it
     * for the engine too, even if these cannot be used. The caller need not hold the lock.
     *
     * @return 0, or the code with which the receive is over
     */
    int copyData(ClientOperation slot, Message data) {
        Operation operation = slot.operation();
        boolean fits =
                operation.kind() == OperationKind.RECEIVE
                        && ClientEvents.dataBytes(data) <= operation.sizeBytes()
                        && copies.isInSlot(data);
        if (!fits) {
            return codeOf(0);
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
        int code = codeOf(ClientEvents.failedCode(failed));
        return code == CANCELLED && slot.cancelCode != 0 ? slot.cancelCode : code;
    }

    /** Any code of the engine is a failure, whatever its number. */
    int codeOf(int code) {
        if (code < 0 && ErrorCode.of(code) != null) {
            return code;
        }
        counters.protocolErrors.increment();
        return EPROTO;
    }

    /** Ends the operation, with this many bytes if the code is 0. */
    void over(ClientOperation slot, int code, long bytes) {
        boolean sound = code != 0 || (bytes >= 0 && bytes <= slot.operation().sizeBytes());
        slot.state = OVER;
        slot.outcome = sound ? code : codeOf(0);
        slot.outcomeBytes = bytes;
    }
}
