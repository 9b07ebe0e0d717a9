package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.SessionFailure;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notes of a client that wait neither for an answer nor for room. The link keeps, in order, the
 * notes for which there is no room, so no note is lost while the session lasts. It uses messages of
 * its own, since a note must not fail because the heap is full.
 */
final class ClientNotes {
    private final ClientLink link;
    private final Message note = new Message();
    private final AtomicInteger withdrawals = new AtomicInteger();

    ClientNotes(ClientLink link) {
        this.link = link;
    }

    /** How many operations were cancelled in this session. */
    int withdrawals() {
        return withdrawals.get();
    }

    /**
     * Tells that an operation is cancelled. Called before its slot is released, so that the engine
     * hears of it before the next use.
     */
    synchronized void withdraw(long operationId, long reference) {
        tell(ClientRequests.withdraw(note, operationId, reference));
        withdrawals.incrementAndGet(); // a call that sees it follows the note
    }

    /**
     * Tells that a receive which was posted as a note is cancelled. Called before its slot is
     * released, and in the order of the numbers.
     *
     * @param number of the cancel
     * @param reference of the receive; 0 if it was over
     */
    synchronized void cancelled(long number, long reference) {
        tell(ClientRequests.cancelled(note, number, reference));
        withdrawals.incrementAndGet();
    }

    /** Tells the deadline of a registered eager send. */
    synchronized void expires(long operationId, long reference, long milliseconds) {
        tell(ClientRequests.expires(note, operationId, reference, milliseconds));
    }

    /**
     * Tells that a transfer has ended.
     *
     * @return {@link PeerChannel#OK}, {@link PeerChannel#KEPT} or {@link PeerChannel#BROKEN}
     */
    synchronized int done(long grantId, long bytes, int status) {
        return tell(ClientRequests.done(note, grantId, bytes, status));
    }

    // The caller has decided the outcome already: a failure here ends the session, not the caller.
    private int tell(Message message) {
        try {
            return link.tell(message);
        } catch (RuntimeException | Error e) {
            SessionFailure.end(link, e);
            return PeerChannel.BROKEN;
        }
    }
}
