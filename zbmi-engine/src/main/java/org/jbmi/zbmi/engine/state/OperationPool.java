package org.jbmi.zbmi.engine.state;

import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.jspecify.annotations.Nullable;

/**
 * All operations, free and in use. An id is the slot with a generation above it; the generation
 * changes with each use, so that a stale id is noticed.
 */
public final class OperationPool {
    public static final int NO_MORE = -1;

    /** Enough for the most clients with the most operations that can be configured. */
    private static final int SLOT_BITS = 30;

    private static final int GENERATION_BITS = 33;

    private final SlotTable<Operation> table;

    /** How many {@link #take} gives at most. */
    final int most;

    private long arrivals;

    /** Those of {@link #takeSpare} that are in use. */
    private int spareUsed;

    /**
     * An empty pool.
     *
     * @param wanted how many operations there should be at most
     * @param spare how many more there are in any case, for {@link #takeSpare}
     * @throws ArithmeticException or IllegalArgumentException if there are not so many ids
     */
    public OperationPool(long wanted, int spare) {
        int maxSlots = Math.toIntExact(wanted + spare);
        this.most = maxSlots - spare;
        this.table = new SlotTable<>(SLOT_BITS, GENERATION_BITS, maxSlots, Operation::new);
    }

    public int inUse() {
        return table.used();
    }

    /** A fresh operation, or null if there are too many. */
    public @Nullable Operation take() {
        return hasRoom() ? taken() : null;
    }

    /** Whether {@link #take} has one. */
    public boolean hasRoom() {
        return table.used() - spareUsed < most;
    }

    /** The same, of those that are kept free for messages that must not be refused. */
    public @Nullable Operation takeSpare() {
        Operation taken = taken();
        spareUsed += taken == null ? 0 : 1;
        return taken;
    }

    private @Nullable Operation taken() {
        Operation taken = table.take();
        if (taken != null) {
            taken.arrival = ++arrivals;
            taken.state = Operation.State.QUEUED;
        }
        return taken;
    }

    public void release(Operation done) {
        table.release(done);
        done.state = Operation.State.FREE;
        done.client = null;
        done.queue = null;
        done.grant = null;
        done.inline = null;
        done.place = null;
        spareUsed -= done.isKept ? 1 : 0;
        done.isKept = false;
        done.deferred = false;
        done.expires = false;
        done.correlation = 0;
        done.dataRoom = 0;
        done.isUnwanted = false;
        done.eagerSlot = NOT_EAGER;
        done.listEntries = 0;
    }

    /** The operation with this id, or null. */
    public @Nullable Operation find(long id) {
        return table.find(id);
    }

    /** See {@code Engine.showOperations}. */
    public int show(
            int firstSlot,
            int mostSlots,
            int mostOperations,
            OperationVisitor visitor,
            long nowNs,
            boolean isServerAttached) {
        int end = (int) Math.min(table.made(), (long) firstSlot + mostSlots);
        int shown = 0;
        int slot = firstSlot;
        while (slot < end && shown < mostOperations) {
            Operation operation = table.inUse(slot++);
            if (operation != null) {
                operation.show(visitor, nowNs, isServerAttached);
                shown++;
            }
        }
        return slot < table.made() ? slot : NO_MORE;
    }
}
