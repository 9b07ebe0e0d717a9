package org.jbmi.shipper.client;

import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.wire.Tags;

/**
 * Messages of a session that are no calls and that its server has not taken. The server decides how
 * many it asks for, so their number is limited. Guarded by the pump's lock.
 */
final class Controls {
    /** How many there may be beside two for each call: some for each transfer. */
    private static final int MOST_OF_TRANSFERS = 4 * Tags.MAX_TRANSFER_CHANNEL + 64;

    private final ClientCore core;
    private final PostedSet<Outgoing> pending = new PostedSet<>();

    Controls(ClientCore core) {
        this.core = core;
    }

    /**
     * Refuses one more message if there are too many: it is returned to its pool, and the others
     * are cancelled.
     *
     * @return whether it was refused; the session must end then
     */
    boolean refuse(Outgoing message) {
        if (pending.size() < MOST_OF_TRANSFERS + 2 * core.settings().maxCalls()) {
            return false;
        }
        core.outgoing().give(message);
        pending.cancelAll(core.pump());
        return true;
    }

    /** A message was posted. */
    void add(Outgoing message) {
        if (message.isPending()) {
            pending.add(message);
        }
    }
}
