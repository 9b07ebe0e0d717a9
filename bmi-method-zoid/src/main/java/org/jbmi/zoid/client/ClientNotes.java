package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.MessagePool;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a client tells the engine without waiting: neither for an answer nor for room. What there is
 * no room for the link keeps, in order, so nothing of it is lost while the session is whole.
 */
final class ClientNotes {
    private final ClientLink link;
    private final MessagePool messages;
    private final AtomicInteger withdrawals = new AtomicInteger();

    ClientNotes(ClientLink link, MessagePool messages) {
        this.link = link;
        this.messages = messages;
    }

    /** How many operations were cancelled in this session. */
    int withdrawals() {
        return withdrawals.get();
    }

    /**
     * An operation is cancelled. Before its slot is given back: its next use must not be heard of
     * first.
     */
    void withdraw(long operationId, long reference) {
        Message note = messages.take();
        link.tell(ClientRequests.withdraw(note, operationId, reference));
        messages.give(note);
        withdrawals.incrementAndGet(); // a call that sees it comes after the note
    }

    /** A registered eager send has a deadline. */
    void expires(long operationId, long reference, long milliseconds) {
        Message note = messages.take();
        link.tell(ClientRequests.expires(note, operationId, reference, milliseconds));
        messages.give(note);
    }

    /**
     * A transfer has ended.
     *
     * @return {@link PeerChannel#OK}, {@link PeerChannel#KEPT} or {@link PeerChannel#BROKEN}
     */
    int done(long grantId, long bytes, int status) {
        Message note = messages.take();
        int sent = link.tell(ClientRequests.done(note, grantId, bytes, status));
        messages.give(note);
        return sent;
    }
}
