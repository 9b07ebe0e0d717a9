package org.jbmi.core.operation;

import org.jbmi.PendingOperation;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.events.FoundOperations;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Looks at the operations of an instance from outside, for somebody who asks why a program waits. A
 * post reads no clock, which would cost as much as the rest of it. The time of an operation is when
 * a look first found it. The lead looks once a second before it sleeps.
 */
public final class OperationLooks {
    private static final long PAUSE_NS = 1_000_000_000;

    private final OperationTable table;

    /** When the lead may look again; only the lead uses it. */
    private long nextNs = System.nanoTime();

    public OperationLooks(OperationTable table) {
        this.table = table;
    }

    /** Notes which operations there are, at most once a second. The lead calls. */
    void beforeSleep(long nowNs) {
        if (nowNs - nextNs >= 0) {
            nextNs = nowNs + PAUSE_NS;
            table.see(nowNs);
        }
    }

    /**
     * Finds the oldest operations that are not reported. Any thread may call this. It holds the
     * lock of a context for a moment for each operation.
     */
    public FoundOperations oldest(int most) {
        long nowNs = System.nanoTime();
        Comparator<PendingOperation> byAge = Comparator.comparingLong(PendingOperation::ageNs);
        PriorityQueue<PendingOperation> oldest = new PriorityQueue<>(byAge);
        int total = 0;
        int count = table.countToVisit();
        for (int slot = 0; slot < count; slot++) {
            PendingOperation found = lookAt(table.at(slot), nowNs);
            if (found != null) {
                total++;
                oldest.add(found);
                if (oldest.size() > most) {
                    oldest.remove();
                }
            }
        }
        List<PendingOperation> sorted = new ArrayList<>(oldest);
        sorted.sort(byAge.reversed());
        return new FoundOperations(List.copyOf(sorted), total);
    }

    /** The lock of its context keeps it from being reported and posted anew meanwhile. */
    private static @Nullable PendingOperation lookAt(CoreOperation operation, long nowNs) {
        CompletionQueue queue = operation.queue;
        if (queue == null) {
            return null;
        }
        CorePeer peer;
        long id;
        OperationKind kind;
        int tag;
        long sizeBytes;
        boolean isOver;
        long seenNs;
        OperationStock stock = queue.stock();
        stock.lock.lock();
        try {
            peer = operation.peer;
            id = operation.id();
            if (operation.queue != queue || peer == null || id == 0) {
                return null;
            }
            kind = operation.kind();
            tag = operation.tag();
            sizeBytes = operation.sizeBytes();
            isOver = operation.state == CoreOperation.DONE;
            seenNs = operation.seen(nowNs);
        } finally {
            stock.lock.unlock();
        }
        return new PendingOperation(
                id,
                peer.scheme(),
                peer.displayName(),
                CoreEvents.name(kind),
                tag,
                sizeBytes,
                isOver,
                Math.max(0, nowNs - seenNs));
    }
}
