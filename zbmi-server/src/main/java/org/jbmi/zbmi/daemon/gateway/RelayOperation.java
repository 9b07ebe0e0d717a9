package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.Message;

/**
 * The relay's state of a remote client's operation.
 *
 * <pre>
 *   POSTED --> OFFERED --> INBOUND --------------> over     bytes come from the client
 *              |     ^`--> OUTBOUND --> AWAIT_END --^       bytes go to it
 *         void v     | offered anew, or once more
 *              MISSED
 * </pre>
 */
final class RelayOperation {
    /** Posted to the engine. */
    static final int POSTED = 0;

    /** The engine has offered a place, and the client was told. */
    static final int OFFERED = 1;

    /**
     * The claim was void, and the client waits for another offer. The offer that it claimed may
     * still be open, if an older one of its window had to be claimed first.
     */
    static final int MISSED = 2;

    /** Claimed: bytes come from the client. */
    static final int INBOUND = 3;

    /** Claimed: bytes go to the client. */
    static final int OUTBOUND = 4;

    /** All bytes were sent: the client has not confirmed them yet. */
    static final int AWAIT_END = 5;

    final PoolCursor cursor;
    final Message grant = new Message();

    int state;
    long reference;
    boolean receives;

    /** The size of a receive's buffer. */
    long roomBytes;

    /** The engine's; 0 until its first answer. */
    long operationId;

    long claim;
    long moved;
    int eagerSlot;
    long eagerSequence;

    /**
     * The code that the transfer will be reported with: the engine's, or that of a failure here.
     */
    int failure;

    /** The code with which the client ended a transfer whose bytes are still being written. */
    int aborted;

    RelayOperation(PoolCursor cursor) {
        this.cursor = cursor;
    }

    /** Whether the offered message is too long for the client's receive. */
    boolean isTooLong() {
        return receives && ClientEvents.grantBytes(grant) > roomBytes;
    }

    void begin(long newReference, boolean isReceive, long newRoomBytes) {
        roomBytes = newRoomBytes;
        state = POSTED;
        reference = newReference;
        receives = isReceive;
        operationId = 0;
        claim = 0;
        moved = 0;
        eagerSlot = ClientRequests.NOT_EAGER;
        eagerSequence = 0;
        failure = 0;
        aborted = 0;
    }

    /** Whether the present offer is of another message than a claim names. */
    boolean isOfferOfAnother(long partner) {
        return state == OFFERED && ClientEvents.partner(grant) != partner;
    }

    /** Whether the offer is the next one of its window after another one. */
    boolean isNextAfter(Message claimed) {
        return ClientEvents.window(grant) == ClientEvents.window(claimed)
                && ClientEvents.claimWord(grant)
                        == GrantWindow.claimed(ClientEvents.claimWord(claimed));
    }

    /** Whether the engine has answered the call that posted it, with its id. */
    boolean isAnswered() {
        return operationId != 0;
    }

    boolean isMoving() {
        return state >= INBOUND;
    }
}
