package org.jbmi.zoid.common;

import org.jbmi.spi.Operation;
import org.jbmi.spi.SlotTable;
import org.jbmi.spi.VarHandles;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * The state of one pending operation on this side; reused. Its reference identifies one use, and
 * goes to the engine and back. The lock of the half guards its fields. {@link DeferredSlots} uses
 * its links.
 */
public abstract class Slot extends SlotTable.Slot {
    private static final VarHandle OPERATION =
            VarHandles.of(MethodHandles.lookup(), Slot.class, "operation", Operation.class);

    /**
     * A thread that reads an operation here also sees what {@link #reset} stored before, without
     * the lock.
     */
    private volatile @Nullable Operation operation;

    /** Called by tables. */
    protected Slot(int index) {
        super(index);
    }

    /** An empty table. The lower half of a reference is the index. */
    public static <S extends Slot> SlotTable<S> table(int maxSlots, IntFunction<S> factory) {
        return new SlotTable<>(Integer.SIZE, Integer.SIZE - 1, maxSlots, factory);
    }

    /** Takes a slot for an operation; null if all are in use. */
    public static <S extends Slot> @Nullable S take(SlotTable<S> table, Operation operation) {
        S slot = table.take();
        if (slot != null) {
            slot.reset();
            slot.operation(operation);
        }
        return slot;
    }

    /** Frees a slot. */
    public static <S extends Slot> void release(SlotTable<S> table, S slot) {
        slot.operation(null);
        table.release(slot);
    }

    /** The operation; null if the slot is not in use. */
    public final @Nullable Operation operationOrNull() {
        return operation;
    }

    /** The operation of a slot that is in use. */
    public final Operation operation() {
        return Objects.requireNonNull(operation, "The slot is not in use.");
    }

    /** Whether the slot is in use for an operation. */
    @SuppressWarnings("ReferenceEquality") // the very object
    public final boolean isOf(Operation other) {
        return operation == other;
    }

    final void operation(@Nullable Operation newOperation) {
        OPERATION.setRelease(this, newOperation);
    }

    /** Clears what the last use left behind. */
    protected abstract void reset();
}
