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

import java.util.function.Consumer;

/**
 * Copies messages out of data slots, during dispatch and without the lock of the half. If the
 * session ends or the program cancels meanwhile, the receive is over with its bytes.
 */
final class SlotCopies {
    private final ClientLink link;
    private final SessionGuard guard;
    private final SlotTable<ClientOperation> table;
    private final ClientReplies replies;
    private final Consumer<ClientOperation> endIfOver;

    /**
     * Copies nothing yet.
     *
     * @param endIfOver ends an operation if the session has ended
     */
    SlotCopies(
            ClientLink link,
            SessionGuard guard,
            SlotTable<ClientOperation> table,
            ClientReplies replies,
            Consumer<ClientOperation> endIfOver) {
        this.link = link;
        this.guard = guard;
        this.table = table;
        this.replies = replies;
        this.endIfOver = endIfOver;
    }

    /** Copies a message to its receive, if that still waits, and gives the data slot back. */
    void copy(Message event) {
        ClientOperation receive = begin(event);
        boolean isDone = false;
        try {
            if (receive != null) {
                receive.outcome = replies.copyData(receive, event);
            }
            link.releaseDataSlot();
            isDone = true;
        } finally {
            if (!isDone && receive != null) {
                giveUp(receive);
            }
        }
    }

    // Only a receive that was posted as a note: no answer of the engine can end it meanwhile.
    private @Nullable ClientOperation begin(Message event) {
        guard.lock();
        ClientOperation found = table.find(ClientEvents.reference(event));
        boolean waits =
                found != null
                        && found.isNoted
                        && (found.state == PENDING || found.state == POSTING);
        if (waits && found != null) {
            found.state = COPYING;
        }
        guard.unlock();
        return waits ? found : null;
    }

    // It ends with the session. That may have ended before, and has left it to this thread.
    private void giveUp(ClientOperation receive) {
        guard.lock();
        receive.state = PENDING;
        guard.unlock();
        endIfOver.accept(receive);
    }
}
