package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.SessionFailure;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a client tells the engine without waiting: neither for an answer nor for room. What there is
 * no room for the link keeps, in order, so nothing of it is lost while the session is whole. It has
 * a message of its own, since what must be said must not fail for want of one.
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
     * An operation is cancelled. Before its slot is given back: its next use must not be heard of
     * first.
     */
    synchronized void withdraw(long operationId, long reference) {
        tell(ClientRequests.withdraw(note, operationId, reference));
        withdrawals.incrementAndGet(); // a call that sees it comes after the note
    }

    /**
     * A receive that was posted as a note is cancelled. Before its slot is given back, and in the
     * order of the numbers.
     *
     * @param number of the cancel
     * @param reference of the receive; 0 if it was over
     */
    synchronized void cancelled(long number, long reference) {
        tell(ClientRequests.cancelled(note, number, reference));
        withdrawals.incrementAndGet();
    }

    /** A registered eager send has a deadline. */
    synchronized void expires(long operationId, long reference, long milliseconds) {
        tell(ClientRequests.expires(note, operationId, reference, milliseconds));
    }

    /**
     * A transfer has ended.
     *
     * @return {@link PeerChannel#OK}, {@link PeerChannel#KEPT} or {@link PeerChannel#BROKEN}
     */
    synchronized int done(long grantId, long bytes, int status) {
        return tell(ClientRequests.done(note, grantId, bytes, status));
    }

    // Who tells something has decided it already: a failure here ends the session, not the caller.
    private int tell(Message message) {
        try {
            return link.tell(message);
        } catch (Error e) {
            SessionFailure.end(link, e);
            return PeerChannel.BROKEN;
        }
    }
}
