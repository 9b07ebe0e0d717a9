package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.MessagePool;

/**
 * What a client tells the engine without waiting: neither for an answer nor for room. What there is
 * no room for the link keeps, in order, so nothing of it is lost while the session is whole.
 */
final class ClientNotes {
    private final ClientLink link;
    private final MessagePool messages;

    ClientNotes(ClientLink link, MessagePool messages) {
        this.link = link;
        this.messages = messages;
    }

    /** An operation is cancelled. */
    void withdraw(long operationId, long reference) {
        Message note = messages.take();
        link.tell(ClientRequests.withdraw(note, operationId, reference));
        messages.give(note);
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
