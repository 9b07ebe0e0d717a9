package org.jbmi.zoid.client;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.MessagePool;
import org.jbmi.zoid.common.SessionGuard;

/**
 * Moves whose bytes the link sends or receives later, over a socket. Their results come as events,
 * and a claim may come too late. The lock of the half guards the slots.
 */
final class LaterMoves {
    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientCounters counters;
    private final ClientCancels cancels;
    private final DeferredSlots<ClientOperation> deferred;
    private final MessagePool messages;

    LaterMoves(
            ClientLink link,
            SessionGuard guard,
            ClientCounters counters,
            ClientCancels cancels,
            DeferredSlots<ClientOperation> deferred) {
        this.link = link;
        this.guard = guard;
        this.counters = counters;
        this.cancels = cancels;
        this.deferred = deferred;
        this.messages = guard.newMessages();
    }

    /**
     * Gives the bytes of a slot whose grant is claimed to the link. The caller holds no lock.
     *
     * @return whether it is over already, and to be reported
     */
    boolean start(ClientOperation slot) {
        Operation operation = slot.operation();
        long reference = slot.reference();
        Message grant = messages.take();
        guard.lock();
        try {
            grant.copyFrom(slot.grant);
            counters.copied(ClientEvents.grantBytes(grant));
            slot.state = ClientOperation.MOVING;
        } finally {
            guard.unlock();
        }
        int result = link.startMove(operation, grant);
        boolean isOver = false;
        boolean isWithdrawn = false;
        guard.lock();
        try {
            if (slot.reference() == reference && slot.state == ClientOperation.MOVING) {
                isWithdrawn = settle(slot, grant, result);
                isOver = slot.isReportDue();
            }
        } finally {
            guard.unlock();
        }
        messages.give(grant);
        if (isWithdrawn) {
            deferred.add(slot);
        }
        return isOver;
    }

    // Returns whether its withdrawal must be deferred.
    private boolean settle(ClientOperation slot, Message grant, int result) {
        if (result == ClientLink.VOIDED) {
            return backToPending(slot);
        }
        if (result <= 0) {
            slot.over(result, result == 0 ? ClientEvents.grantBytes(grant) : 0);
        }
        return false;
    }

    /**
     * With the lock held: its claim came too late, so it is pending again.
     *
     * @return whether its withdrawal must be deferred
     */
    boolean backToPending(ClientOperation slot) {
        counters.voidGrants.increment();
        slot.operationId = ClientEvents.operationId(slot.grant);
        slot.state = ClientOperation.PENDING;
        if (!slot.inPost && slot.cancelCode != 0 && cancels.takeBack(slot)) {
            slot.withdrawDue = true;
        }
        return slot.withdrawDue;
    }
}
