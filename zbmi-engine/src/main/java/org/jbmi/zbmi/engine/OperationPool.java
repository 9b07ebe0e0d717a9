package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * All operations, free and in use. An id is the slot with a generation above it; the generation
 * changes with each use, so that a stale id is noticed.
 */
final class OperationPool {
    static final int SLOT_BITS = 22;
    static final int NO_MORE = -1;
    private static final int MAX_SLOTS = 1 << SLOT_BITS;

    private final int capacity;
    private Operation[] slots = new Operation[0];
    private final IntrusiveQueue<Operation> free = new IntrusiveQueue<>();
    private int inUse;
    private long arrivals;

    OperationPool(long wanted) {
        this.capacity = (int) Math.min(wanted, MAX_SLOTS);
    }

    int inUse() {
        return inUse;
    }

    /** A fresh operation, or null if there are too many. */
    @Nullable Operation take() {
        if (free.isEmpty()) {
            grow();
        }
        Operation taken = free.poll();
        if (taken == null) {
            return null;
        }
        taken.generation++;
        taken.arrival = ++arrivals;
        taken.state = Operation.State.QUEUED;
        inUse++;
        return taken;
    }

    void release(Operation done) {
        if (done.state == Operation.State.FREE) {
            throw new IllegalStateException("an operation was released twice");
        }
        done.state = Operation.State.FREE;
        done.client = null;
        done.queue = null;
        done.grant = null;
        done.inline = null;
        done.deferred = false;
        done.expires = false;
        done.correlation = 0;
        done.inlineRoom = 0;
        done.isUnwanted = false;
        done.eagerSlot = NOT_EAGER;
        done.listEntries = 0;
        free.addFirst(done);
        inUse--;
    }

    /** The operation with this id, or null. */
    @Nullable Operation find(long id) {
        int slot = (int) id & (MAX_SLOTS - 1);
        if (slot >= slots.length) {
            return null;
        }
        Operation found = slots[slot];
        return found.state != Operation.State.FREE && found.id() == id ? found : null;
    }

    /** See {@link Engine#showOperations}. */
    int show(
            int firstSlot,
            int mostSlots,
            int mostOperations,
            OperationVisitor visitor,
            long nowNs,
            boolean isServerAttached) {
        int end = (int) Math.min(slots.length, (long) firstSlot + mostSlots);
        int shown = 0;
        int slot = firstSlot;
        while (slot < end && shown < mostOperations) {
            Operation operation = slots[slot++];
            if (operation.state != Operation.State.FREE) {
                operation.show(visitor, nowNs, isServerAttached);
                shown++;
            }
        }
        return slot < slots.length ? slot : NO_MORE;
    }

    private void grow() {
        int old = slots.length;
        int size = Math.min(capacity, Math.max(64, old * 2));
        if (size <= old) {
            return;
        }
        slots = Arrays.copyOf(slots, size);
        for (int i = old; i < size; i++) {
            slots[i] = new Operation(i);
            free.addLast(slots[i]);
        }
    }
}
