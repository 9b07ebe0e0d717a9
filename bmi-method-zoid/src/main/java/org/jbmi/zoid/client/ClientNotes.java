package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.MessagePool;

/** What a client tells the engine without waiting for an answer. */
final class ClientNotes {
    private final ClientLink link;
    private final MessagePool messages;
    private final long timeoutNs;

    ClientNotes(ClientLink link, MessagePool messages, long timeoutNs) {
        this.link = link;
        this.messages = messages;
        this.timeoutNs = timeoutNs;
    }

    /** An operation is cancelled. */
    void withdraw(long operationId, long reference) {
        Message note = messages.take();
        link.note(ClientRequests.withdraw(note, operationId, reference), timeoutNs);
        messages.give(note);
    }

    /** A registered eager send has a deadline. */
    void expires(long operationId, long reference, long milliseconds) {
        Message note = messages.take();
        link.note(ClientRequests.expires(note, operationId, reference, milliseconds), timeoutNs);
        messages.give(note);
    }

    /** A transfer has ended; the result is the link's. */
    int done(long grantId, long bytes, int status) {
        Message note = messages.take();
        ClientRequests.done(note, grantId, bytes, status);
        int sent = link.note(note, timeoutNs);
        messages.give(note);
        return sent;
    }
}
