package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Records that are used again and again. A reference names one use of a record. Its lower bits hold
 * the number of the slot, its upper bits a generation, which rises with each use. The table grows
 * to the most records that were ever in use at a time, up to a bound. Once it has grown it
 * allocates nothing.
 *
 * <p>{@link #find} takes constant time. It returns null for a reference to an earlier use. A
 * reference that a peer invented finds a record only if it is by chance the record's present one.
 *
 * <p>Not thread-safe: its owner has a lock. {@link #forEach} is called without that lock, and
 * {@link #used} may be, where a guess will do.
 *
 * @param <S> kind of record
 */
public final class SlotTable<S extends SlotTable.Slot> {
    private static final int FIRST_SIZE = 64;
    private static final VarHandle USED =
            VarHandles.of(MethodHandles.lookup(), SlotTable.class, "used", int.class);
    private static final VarHandle REFERENCE =
            VarHandles.of(MethodHandles.lookup(), Slot.class, "named", long.class);

    /** A record of a table. Its links are free for other use. */
    public abstract static class Slot extends LinkedNode {
        private final int index;

        /**
         * The reference of this use; while it is free, that of the next use as a negative number.
         */
        private volatile long named;

        /**
         * For the factory of a table.
         *
         * @param index number of the slot, as the table gave it
         */
        protected Slot(int index) {
            this.index = index;
        }

        /**
         * The number of its slot.
         *
         * @return 0 or more, always the same
         */
        public final int index() {
            return index;
        }

        /**
         * The reference of this use, by which {@link #find} finds the record. May be called without
         * the lock; then the use may end meanwhile, and the reference with it.
         *
         * @return positive while the record is in use, else negative or 0
         */
        public final long reference() {
            return named;
        }
    }

    private final int slotBits;
    private final long mostGeneration;
    private final int maxSlots;
    private final IntFunction<S> factory;
    private volatile @Nullable Slot[] slots = new Slot[0];
    private int[] free = new int[0];
    private int freeCount;
    private int made;
    private int used; // through USED

    /**
     * An empty table.
     *
     * @param slotBits lower bits of a reference that hold the slot, 1 to 32
     * @param generationBits bits of the generation above them, 1 or more; 63 in all at most
     * @param maxSlots bound on the records
     * @param factory makes the record of a slot
     */
    public SlotTable(int slotBits, int generationBits, int maxSlots, IntFunction<S> factory) {
        boolean possible =
                slotBits > 0
                        && slotBits <= Integer.SIZE
                        && generationBits > 0
                        && slotBits + generationBits < Long.SIZE
                        && maxSlots >= 0
                        && maxSlots <= 1L << slotBits;
        if (!possible) {
            throw new IllegalArgumentException(
                    maxSlots + " slots in " + slotBits + " bits below " + generationBits);
        }
        this.slotBits = slotBits;
        this.mostGeneration = (1L << generationBits) - 1;
        this.maxSlots = maxSlots;
        this.factory = factory;
    }

    @SuppressWarnings("unchecked") // the factory has made all of them
    private @Nullable S typed(@Nullable Slot slot) {
        return (S) slot;
    }

    /**
     * Takes a record that is free.
     *
     * @return one with a reference of its own; null if as many are in use as may be
     */
    public @Nullable S take() {
        Slot slot = null;
        if (freeCount > 0) {
            slot = slots[free[--freeCount]];
        } else if (made < maxSlots) {
            slot = make();
        }
        if (slot != null) {
            REFERENCE.setRelease(slot, -slot.named);
            USED.setOpaque(this, used + 1);
        }
        return typed(slot);
    }

    private Slot make() {
        @Nullable Slot[] present = slots;
        if (made == present.length) {
            int size = Math.min(maxSlots, Math.max(FIRST_SIZE, 2 * made));
            present = Arrays.copyOf(present, size);
            free = Arrays.copyOf(free, size);
        }
        Slot slot = factory.apply(made);
        slot.named = -(1L << slotBits | made);
        present[made++] = slot;
        slots = present;
        return slot;
    }

    /**
     * Gives a record back: from here on its reference names nothing.
     *
     * @param slot one that is in use
     */
    public void release(S slot) {
        long reference = slot.reference();
        int index = slot.index();
        if (reference <= 0) {
            throw new IllegalStateException("It is not in use.");
        }
        long generation = reference >>> slotBits;
        long next = generation == mostGeneration ? 1 : generation + 1;
        REFERENCE.setRelease(slot, -(next << slotBits | index));
        free[freeCount++] = index;
        USED.setOpaque(this, used - 1);
    }

    /**
     * The record that a reference names.
     *
     * @param reference any, from wherever
     * @return the record, or null if the slot is free or has another reference now
     */
    public @Nullable S find(long reference) {
        Slot slot = reference <= 0 ? null : at(reference & (1L << slotBits) - 1);
        return slot != null && slot.named == reference ? typed(slot) : null;
    }

    private @Nullable Slot at(long index) {
        @Nullable Slot[] present = slots;
        return index < present.length ? present[(int) index] : null;
    }

    /**
     * The record of a slot.
     *
     * @param index 0 or more
     * @return null if it is free, or was never used
     */
    public @Nullable S inUse(int index) {
        Slot slot = at(index);
        return slot != null && slot.named > 0 ? typed(slot) : null;
    }

    /**
     * How many slots there are, free ones among them.
     *
     * @return 0 or more
     */
    public int made() {
        return made;
    }

    /**
     * How many are in use; without the lock, how many were a moment ago.
     *
     * @return 0 or more
     */
    public int used() {
        return (int) USED.getOpaque(this);
    }

    /**
     * Visits each record that was ever in use, in any order. Called without the lock.
     *
     * @param action takes the lock to look at the record
     */
    public void forEach(Consumer<? super S> action) {
        for (Slot each : slots) {
            S slot = typed(each);
            if (slot != null) {
                action.accept(slot);
            }
        }
    }
}
