package org.jbmi.zbmi.socket;

import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The transfers of a client's link by the reference of their operation. The lower half of a
 * reference is an index below the limit of operations, unique at the time. Guarded by the lock of
 * its link.
 */
final class LinkTransfers {
    private final int maxOperations;
    private final IntrusiveQueue<LinkTransfer> free = new IntrusiveQueue<>();
    private @Nullable LinkTransfer[] byIndex = new LinkTransfer[64];
    private int size;

    LinkTransfers(int maxOperations) {
        this.maxOperations = maxOperations;
    }

    int size() {
        return size;
    }

    /** Begins one; null if there is one already, or the reference is out of bounds. */
    @Nullable LinkTransfer begin(Message grant, long claim) {
        long reference = ClientEvents.reference(grant);
        int index = (int) reference;
        if (index < 0
                || index >= maxOperations
                || (index < byIndex.length && byIndex[index] != null)) {
            return null;
        }
        if (index >= byIndex.length) {
            byIndex =
                    Arrays.copyOf(byIndex, Math.min(maxOperations, Math.max(index + 1, 2 * index)));
        }
        LinkTransfer used = free.poll();
        LinkTransfer transfer = used == null ? new LinkTransfer() : used;
        transfer.begin(grant, claim);
        byIndex[index] = transfer;
        size++;
        return transfer;
    }

    /** The transfer of a reference, or null. */
    @Nullable LinkTransfer find(long reference) {
        int index = (int) reference;
        LinkTransfer found = index >= 0 && index < byIndex.length ? byIndex[index] : null;
        return found != null && found.reference == reference ? found : null;
    }

    void end(LinkTransfer transfer) {
        byIndex[(int) transfer.reference] = null;
        size--;
        transfer.release();
        free.addFirst(transfer);
    }

    void dropAll() {
        for (int i = 0; i < byIndex.length; i++) {
            LinkTransfer transfer = byIndex[i];
            if (transfer != null) {
                transfer.release();
                byIndex[i] = null;
            }
        }
        size = 0;
    }
}
