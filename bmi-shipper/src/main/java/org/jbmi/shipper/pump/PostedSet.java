package org.jbmi.shipper.pump;

import org.jbmi.spi.Failures;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Objects;

/**
 * Pending operations; one leaves the set by itself when it ends, before its action. Adding
 * allocates nothing once the set has been as large. An operation is in one set at most. Guarded by
 * the pump's lock.
 */
public final class PostedSet<P extends Posted> {
    private static final int FEW = 4;

    private @Nullable Object[] members = new Object[FEW];
    private int size;

    /** Makes an empty set. */
    public PostedSet() {}

    /** How many there are. */
    public int size() {
        return size;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * One of them.
     *
     * @param index from 0; another one stands there once any operation has left the set
     */
    @SuppressWarnings("unchecked") // nothing else is added
    public P get(int index) {
        return (P) Objects.requireNonNull(members[Objects.checkIndex(index, size)]);
    }

    /**
     * Adds one.
     *
     * @param posted an operation that is in no set and whose end will be reported
     */
    public void add(P posted) {
        makeRoom();
        posted.set = this;
        posted.place = size;
        members[size++] = posted;
    }

    /** Grows the set, if needed, so that the next {@link #add} allocates nothing. */
    public void makeRoom() {
        if (size == members.length) {
            members = Arrays.copyOf(members, 2 * size);
        }
    }

    void remove(Posted posted) {
        Posted last = (Posted) members[--size];
        members[size] = null;
        if (last != null && posted.place < size) {
            last.place = posted.place;
            members[posted.place] = last;
        }
        posted.set = null;
    }

    /**
     * Cancels each of them. A cancel that fails skips none behind it; the caller gets the failure.
     *
     * @param pump where they were posted
     */
    public void cancelAll(Pump pump) {
        Throwable failure = null;
        for (int i = 0; i < size; i++) {
            try {
                pump.cancel(get(i));
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        Failures.rethrow(failure);
    }
}
