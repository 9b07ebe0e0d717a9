package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.COPYING;
import static org.jbmi.zoid.client.ClientOperation.PENDING;
import static org.jbmi.zoid.client.ClientOperation.POSTING;

import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.SessionGuard;
import org.jspecify.annotations.Nullable;

/**
 * Copies messages out of data slots, during dispatch and without the lock of the half. If the
 * session ends or the program cancels meanwhile, the receive is over with its bytes.
 */
final class SlotCopies {
    private final ClientLink link;
    private final SessionGuard guard;
    private final SlotTable<ClientOperation> table;
    private final ClientReplies replies;

    SlotCopies(
            ClientLink link,
            SessionGuard guard,
            SlotTable<ClientOperation> table,
            ClientReplies replies) {
        this.link = link;
        this.guard = guard;
        this.table = table;
        this.replies = replies;
    }

    /** Copies a message to its receive, if that still waits, and gives the data slot back. */
    void copy(Message event) {
        ClientOperation receive = begin(event);
        try {
            if (receive != null) {
                receive.outcome = replies.copyData(receive, event);
            }
        } finally {
            link.releaseDataSlot();
        }
    }

    private @Nullable ClientOperation begin(Message event) {
        guard.lock();
        ClientOperation found = table.find(ClientEvents.reference(event));
        boolean waits = found != null && (found.state == PENDING || found.state == POSTING);
        if (waits && found != null) {
            found.state = COPYING;
        }
        guard.unlock();
        return waits ? found : null;
    }
}
