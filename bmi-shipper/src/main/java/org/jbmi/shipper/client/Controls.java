package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.wire.Tags;

/**
 * Messages of a session that are no calls and that its server has not taken. The server decides how
 * many it asks for, so their number is limited. Guarded by the pump's lock.
 */
final class Controls {
    private final ClientSession session;
    private final ClientCore core;
    private final PostedSet<Outgoing> pending = new PostedSet<>();

    Controls(ClientSession session) {
        this.session = session;
        this.core = session.core();
    }

    /**
     * Posts one; if there are too many, it is returned to its pool, and the session ends. If this
     * fails, it is not posted.
     */
    void send(Outgoing message, Outgoing.Sent listener) {
        if (pending.size() >= Tags.MOST_UNTAKEN + 2 * core.settings().maxCalls()) {
            core.outgoing().give(message);
            refuse();
            return;
        }
        try {
            pending.makeRoom();
        } catch (RuntimeException | Error e) { // no outcome of it comes
            core.outgoing().give(message);
            throw e;
        }
        session.send(message, listener);
        if (message.isPending()) {
            pending.add(message);
        }
    }

    private void refuse() {
        try {
            pending.cancelAll(core.pump());
        } finally {
            String why = "The server floods, and takes no answers.";
            session.fail(ErrorCode.EOVERFLOW.negativeValue(), why);
        }
    }
}
