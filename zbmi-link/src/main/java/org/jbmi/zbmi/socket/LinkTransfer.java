package org.jbmi.zbmi.socket;

import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * An offer that a client has claimed, until the gateway has sent the outcome. Its places in lists
 * are made with it, since a list that finds no memory to grow could lose others.
 */
final class LinkTransfer extends LinkedNode {
    /** A frame about it that is not said yet. */
    static final class Unsaid extends LinkedNode {
        final LinkTransfer transfer;

        Unsaid(LinkTransfer transfer) {
            this.transfer = transfer;
        }
    }

    /** {@link #end}: no outcome yet. */
    static final int OPEN = 0;

    /** {@link #end}: over, with {@link #status}. */
    static final int MOVED = 1;

    /** {@link #end}: the claim came too late. */
    static final int VOID = 2;

    final OperationCursor cursor = new OperationCursor();
    final Unsaid unsaidClaim = new Unsaid(this);
    final Unsaid unsaidEnd = new Unsaid(this);
    long reference;
    long operationId;
    long claim;

    /** Identifies the message that was claimed. */
    long partner;

    long bytes;
    long moved;
    @Nullable Operation operation;

    /** Why the program's own memory could not be used; 0 if it could. */
    int failure;

    int end;
    int status;

    /** The last offer that crossed the claim: it is offered to the client if the claim is void. */
    final Message later = new Message();

    /** Whether there is one. */
    boolean isOfferedAnew;

    /** Whether the gateway was told, or must be told, that this side has finished. */
    boolean isEndDue;

    void begin(Message grant, long newClaim) {
        reference = ClientEvents.reference(grant);
        operationId = ClientEvents.operationId(grant);
        claim = newClaim;
        partner = ClientEvents.partner(grant);
        bytes = ClientEvents.grantBytes(grant);
        moved = 0;
        operation = null;
        failure = 0;
        end = OPEN;
        status = 0;
        isEndDue = false;
        isOfferedAnew = false;
    }

    /** Releases the program's memory. */
    void release() {
        operation = null;
        cursor.end();
    }
}
