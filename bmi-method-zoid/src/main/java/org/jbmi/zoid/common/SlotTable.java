package org.jbmi.zoid.common;

import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Slots of pending operations, found by their reference in constant time. It grows with the number
 * of operations pending at a time, up to a bound, and allocates nothing else. Callers hold the lock
 * of the half, except for {@link #forEach}, and {@link #used} where an estimate is enough.
 *
 * @param <S> kind of slot
 */
public final class SlotTable<S extends Slot> {
    private static final int FIRST_SIZE = 64;
    private static final VarHandle USED;

    static {
        try {
            USED = MethodHandles.lookup().findVarHandle(SlotTable.class, "used", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final IntFunction<S> factory;
    private final Class<S> type;
    private final int maxSlots;
    private volatile @Nullable Slot[] slots = new Slot[FIRST_SIZE];
    private @Nullable Slot free;
    private int made;
    private int used; // through USED

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
        Slot first = free;
        if (first == null) {
            first = made < maxSlots ? make() : null;
        } else {
            free = first.nextFree;
            first.nextFree = null;
        }
        if (first == null) {
            return null;
        }
        USED.setOpaque(this, used + 1);
        first.reset();
        first.operation(operation);
        return type.cast(first);
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

    /** The slot with a reference, or null. */
    public @Nullable S find(long reference) {
        int index = (int) reference;
        @Nullable Slot[] present = slots;
        if (index < 0 || index >= present.length) {
            return null;
        }
        Slot slot = present[index];
        return slot != null && slot.reference() == reference ? type.cast(slot) : null;
    }

    /** Frees a slot. */
    public void release(S slot) {
        slot.operation(null);
        slot.nextUse();
        slot.nextFree = free;
        free = slot;
        USED.setOpaque(this, used - 1);
    }

    /** How many are in use; without the lock this may be out of date. */
    public int used() {
        return (int) USED.getOpaque(this);
    }

    /**
     * Calls the action for each slot that was ever in use, in any order. The caller does not hold
     * the lock; the action takes it and checks the slot.
     */
    public void forEach(Consumer<S> action) {
        for (Slot slot : slots) {
            if (slot != null) {
                action.accept(type.cast(slot));
            }
        }
    }
}
