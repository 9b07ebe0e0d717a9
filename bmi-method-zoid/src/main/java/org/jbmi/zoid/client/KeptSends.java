package org.jbmi.zoid.client;

import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;

import java.lang.foreign.MemorySegment;

/**
 * Short unexpected messages whose sends are over once they are in the lane: the engine has said
 * that it keeps them. They need no slot and no answer. Guarded by the lock of the half.
 */
final class KeptSends {
    private final ClientLink link;
    private final ClientCounters counters;
    private final ClientMemory memory;
    private final Message message = new Message();
    private boolean isAny;

    KeptSends(ClientLink link, ClientCounters counters, ClientMemory memory) {
        this.link = link;
        this.counters = counters;
        this.memory = memory;
    }

    /**
     * Sends one, if it is short, the engine keeps it, and there is room.
     *
     * @return see {@link ClientLink#tryNote}; also NOT_SENT if the program's memory cannot be read
     */
    int trySend(MemorySegment buffer, int tag, int messageClass) {
        boolean isShort = buffer.byteSize() <= ClientRequests.MAX_SHORT_BYTES;
        if (!isShort
                || link.keeps() != SessionArea.KEEPS_ALL
                || !encode(buffer, tag, messageClass)) {
            return PeerChannel.NOT_SENT; // a post with an operation finds the reason
        }
        int said = link.tryNote(message);
        if (said != PeerChannel.NOT_SENT) {
            isAny = true;
            counters.post(OperationKind.SEND_UNEXPECTED);
            counters.copied(buffer.byteSize());
            counters.aligned(buffer);
        }
        return said;
    }

    private boolean encode(MemorySegment buffer, int tag, int messageClass) {
        try {
            if (!memory.pin(buffer)) {
                return false;
            }
            try {
                ClientRequests.sendKept(message, tag, messageClass, (int) buffer.byteSize());
                ClientCopies.putWords(buffer, message);
                return true;
            } finally {
                memory.unpin(buffer);
            }
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return false;
        }
    }

    /** Whether any was sent. */
    boolean isAny() {
        return isAny;
    }
}
