package org.jbmi.shipper.pump;

import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/**
 * What is under way and may have a deadline, oldest first. Looked through every ten milliseconds:
 * adding and removing cost nothing and allocate nothing. Guarded by the pump's lock.
 */
public final class TimedList<T extends LinkedNode> {
    private static final long PERIOD_NS = 10_000_000;

    private final IntrusiveList<T> list = new IntrusiveList<>();
    private final ObjLongConsumer<T> look;
    private long lookedNs = Long.MIN_VALUE;

    /**
     * Makes an empty list.
     *
     * @param look ends one if its time is over at the time given; that may end any others
     */
    public TimedList(ObjLongConsumer<T> look) {
        this.look = look;
    }

    /** Adds one that is not in a list. */
    public void add(T timed) {
        list.addLast(timed);
    }

    /** Removes one, if it is there. */
    public void remove(T timed) {
        list.remove(timed);
    }

    /** Whether nothing is in it. */
    public boolean isEmpty() {
        return list.isEmpty();
    }

    /** A copy of all that are in it now, oldest first. */
    public List<T> copy() {
        List<T> all = new ArrayList<>(list.size());
        for (T timed = list.first(); timed != null; timed = list.next(timed)) {
            all.add(timed);
        }
        return all;
    }

    /**
     * Does something with each, and makes no copy.
     *
     * @param step may remove the one that it gets, and no other one. One that fails skips none
     *     behind it; the caller gets the failure
     */
    public void forEach(Consumer<T> step) {
        Throwable failure = null;
        T timed = list.first();
        while (timed != null) {
            @Nullable T after = list.next(timed);
            try {
                step.accept(timed);
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
            timed = after;
        }
        Failures.rethrow(failure);
    }

    /** Looks for those whose time is over. */
    public void tick(long nowNs) {
        boolean lookedLately = lookedNs != Long.MIN_VALUE && nowNs - lookedNs < PERIOD_NS;
        if (list.isEmpty() || lookedLately) {
            return;
        }
        lookedNs = nowNs;
        T timed = list.first();
        while (timed != null) {
            @Nullable T after = list.next(timed);
            look.accept(timed, nowNs);
            timed = after == null || list.contains(after) ? after : list.first();
        }
    }
}
