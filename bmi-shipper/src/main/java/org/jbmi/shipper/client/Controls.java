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
    private final PostedSet<Outgoing> pending = new PostedSet<>();
    private boolean refused;

    Controls(ClientSession session) {
        this.session = session;
    }

    /**
     * Posts one; if there are too many, it is returned to its pool, and the session ends. If this
     * fails, it is not posted.
     */
    void send(Outgoing message, Outgoing.Sent listener) {
        if (pending.size() >= Tags.MOST_UNTAKEN + 2 * session.core().settings().maxCalls()) {
            session.core().outgoing().give(message);
            refused = true;
            String why = "The server floods, and takes no answers.";
            session.fail(ErrorCode.EOVERFLOW.negativeValue(), why);
            return;
        }
        try {
            pending.makeRoom();
        } catch (RuntimeException | Error e) { // no outcome of it comes
            session.core().outgoing().give(message);
            throw e;
        }
        session.send(message, listener);
        if (message.isPending()) {
            pending.add(message);
        }
    }

    /** Cancels them if there are too many; others may still reach the server. */
    void cancelRefused() {
        if (refused) {
            pending.cancelAll(session.core().pump());
        }
    }
}
