package org.jbmi.zoid.common;

import org.jbmi.spi.Operation;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Slots of pending operations, found by their reference in constant time. It grows to the most that
 * were ever pending at a time, up to a bound; from then on it allocates nothing.
 *
 * @param <S> kind of slot
 */
public final class SlotTable<S extends Slot> {
    private static final int FIRST_SIZE = 64;

    private final IntFunction<S> factory;
    private final Class<S> type;
    private final int maxSlots;
    private final SpinLock lock = new SpinLock();
    private volatile @Nullable Slot[] slots = new Slot[FIRST_SIZE];
    private @Nullable Slot free;
    private int made;
    private int used;

    /**
     * An empty table.
     *
     * @param type class of the slots
     * @param maxSlots bound
     * @param factory makes the slot of an index
     */
    public SlotTable(Class<S> type, int maxSlots, IntFunction<S> factory) {
        this.type = type;
        this.maxSlots = maxSlots;
        this.factory = factory;
    }

    /** Takes a slot for an operation; null if all are in use. */
    public @Nullable S take(Operation operation) {
        S slot = takeFree();
        if (slot != null) {
            slot.reset();
            slot.operation(operation);
        }
        return slot;
    }

    private @Nullable S takeFree() {
        lock.lock();
        try {
            Slot first = free;
            if (first == null) {
                first = made < maxSlots ? make() : null;
            } else {
                free = first.nextFree;
                first.nextFree = null;
            }
            used += first == null ? 0 : 1;
            return type.cast(first);
        } finally {
            lock.unlock();
        }
    }

    private S make() {
        @Nullable Slot[] present = slots;
        if (made == present.length) {
            present = Arrays.copyOf(present, Math.min(maxSlots, made * 2));
        }
        S slot = factory.apply(made);
        present[made++] = slot;
        slots = present;
        return slot;
    }

    /** The slot that a reference names, or null. The caller locks it and compares again. */
    public @Nullable S find(long reference) {
        int index = (int) reference;
        @Nullable Slot[] present = slots;
        if (index < 0 || index >= present.length) {
            return null;
        }
        Slot slot = present[index];
        return slot != null && slot.reference() == reference ? type.cast(slot) : null;
    }

    /** Gives a slot back. Its monitor is held by the caller, or nobody else knows it. */
    public void release(S slot) {
        slot.operation(null);
        slot.nextUse();
        lock.lock();
        slot.nextFree = free;
        free = slot;
        used--;
        lock.unlock();
    }

    /** How many are in use. */
    public int used() {
        lock.lock();
        int now = used;
        lock.unlock();
        return now;
    }

    /** Calls for each slot that was ever in use, in any order; the callee locks and looks. */
    public void forEach(Consumer<S> action) {
        for (Slot slot : slots) {
            if (slot != null) {
                action.accept(type.cast(slot));
            }
        }
    }
}
