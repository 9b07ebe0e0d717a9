package org.jbmi.zoid.client;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

/** Makes the call of a post, with its bytes if they are few. */
final class ClientEncoder {
    private static final System.Logger LOG = System.getLogger(ClientEncoder.class.getName());

    private final ClientLink link;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final int eagerBytes;

    ClientEncoder(ClientLink link, ClientCounters counters, ClientCopies copies, int eagerBytes) {
        this.link = link;
        this.counters = counters;
        this.copies = copies;
        this.eagerBytes = eagerBytes;
    }

    // False if the program's memory cannot be read: it was given back under the post.
    boolean tryEncode(
            ClientOperation slot, Operation operation, Message message, int postTimeoutMs) {
        countUnaligned(operation);
        try {
            encode(slot, operation, message, postTimeoutMs);
            return true;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a buffer cannot be read: {0}", e.getMessage());
            return false;
        }
    }

    private void encode(
            ClientOperation slot, Operation operation, Message message, int postTimeoutMs) {
        if (operation.kind() == OperationKind.RECEIVE) {
            counters.receive();
            ClientRequests.receive(
                    message,
                    0,
                    slot.reference(),
                    operation.tag(),
                    operation.sizeBytes(),
                    postTimeoutMs);
            return;
        }
        counters.send();
        if (operation.kind() == OperationKind.SEND) {
            announceEager(slot, operation);
            ClientRequests.send(
                    message,
                    0,
                    slot.reference(),
                    operation.tag(),
                    operation.sizeBytes(),
                    postTimeoutMs,
                    slot.eagerSlot,
                    slot.eagerSequence);
            return;
        }
        boolean inline = operation.sizeBytes() <= ClientRequests.MAX_INLINE_BYTES;
        if (!inline) {
            announceEager(slot, operation);
        }
        ClientRequests.sendUnexpected(
                message,
                0,
                slot.reference(),
                operation.tag(),
                operation.messageClass(),
                operation.sizeBytes(),
                postTimeoutMs,
                inline ? ClientRequests.INLINE : slot.eagerSlot,
                slot.eagerSequence);
        if (inline) {
            copies.putInline(operation, message);
        }
    }

    private void announceEager(ClientOperation slot, Operation operation) {
        if (operation.sizeBytes() > eagerBytes) {
            return;
        }
        int eagerSlot = link.takeEagerSlot();
        if (eagerSlot >= 0) {
            slot.eagerSlot = eagerSlot;
            copies.putEager(operation, eagerSlot);
            slot.eagerSequence = link.announceEager(eagerSlot);
        }
    }

    private void countUnaligned(Operation operation) {
        for (int i = 0; i < operation.bufferCount(); i++) {
            if ((operation.buffer(i).address() & 15) != 0) {
                counters.unaligned.increment();
            }
        }
    }
}
