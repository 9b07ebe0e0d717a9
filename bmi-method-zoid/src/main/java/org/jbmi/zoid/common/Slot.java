package org.jbmi.zoid.common;

import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of one pending operation on this side; reused. Its reference identifies one use, and
 * goes to the engine and back. The lock of the half guards its fields. {@link DeferredSlots} uses
 * its links.
 */
public abstract class Slot extends LinkedNode {
    private static final VarHandle REFERENCE;
    private static final VarHandle OPERATION;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            REFERENCE = lookup.findVarHandle(Slot.class, "reference", long.class);
            OPERATION = lookup.findVarHandle(Slot.class, "operation", Operation.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private volatile long reference;

    /**
     * A thread that reads an operation here also sees what {@link #reset} stored before, without
     * the lock.
     */
    private volatile @Nullable Operation operation;

    @Nullable Slot nextFree;

    /** Called by tables. */
    protected Slot(int index) {
        this.index = index;
        this.reference = (1L << Integer.SIZE) | index;
    }

    final int index() {
        return index;
    }

    /** Identifies this use of the slot; positive. */
    public final long reference() {
        return reference;
    }

    final void nextUse() {
        long generation = (reference >>> Integer.SIZE) % Integer.MAX_VALUE + 1;
        REFERENCE.setRelease(this, generation << Integer.SIZE | index);
    }

    /** The operation; null if the slot is not in use. */
    public final @Nullable Operation operationOrNull() {
        return operation;
    }

    /** The operation of a slot that is in use. */
    public final Operation operation() {
        Operation current = operation;
        if (current == null) {
            throw new IllegalStateException("The slot is not in use.");
        }
        return current;
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
