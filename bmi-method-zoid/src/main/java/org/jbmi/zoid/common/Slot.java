package org.jbmi.zoid.common;

import org.jbmi.ErrorCode;
import org.jbmi.observe.Counter;
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
    /** Sent, or about to be. */
    public static final int POSTING = 0;

    /** The outcome is known. */
    public static final int OVER = 1;

    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final VarHandle OPERATION =
            VarHandles.of(MethodHandles.lookup(), Slot.class, "operation", Operation.class);

    /**
     * A thread that reads an operation here also sees what {@link #reset} stored before, without
     * the lock.
     */
    private volatile @Nullable Operation operation;

    private final Counter protocolErrors;

    /** One of the states of its kind. */
    public int state;

    /**
     * Whether a thread is inside its post: that thread decides the outcome, and leaves events of
     * that time in the slot until it has finished.
     */
    public boolean inPost;

    /** Not 0 if it was cancelled before it was registered. */
    public int cancelCode;

    /** The outcome, once it is {@link #OVER}. */
    public int outcome;

    /** How many bytes were moved, once it is {@link #OVER} with the outcome 0. */
    public long outcomeBytes;

    /**
     * Called by tables.
     *
     * @param protocolErrors counts what no engine can have said
     */
    protected Slot(int index, Counter protocolErrors) {
        super(index);
        this.protocolErrors = protocolErrors;
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
    protected void reset() {
        state = POSTING;
        inPost = true;
        cancelCode = 0;
        outcome = 0;
        outcomeBytes = 0;
    }

    /** Any code of the engine is a failure, whatever its number. */
    public final int codeOf(int code) {
        if (code < 0 && ErrorCode.of(code) != null) {
            return code;
        }
        protocolErrors.increment();
        return EPROTO;
    }

    /** Ends the operation, with this many bytes if the code is 0. */
    public final void over(int code, long bytes) {
        boolean sound = code != 0 || (bytes >= 0 && bytes <= operation().sizeBytes());
        state = OVER;
        outcome = sound ? code : codeOf(0);
        outcomeBytes = bytes;
    }
}
