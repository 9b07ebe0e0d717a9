package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

/**
 * What is under way and may have a deadline. Looked through every ten milliseconds: adding and
 * removing cost nothing. Guarded by the pump's lock.
 */
public final class TimedList {
    private static final long PERIOD_NS = 10_000_000;

    private @Nullable Timed head;
    private long lookedNs = Long.MIN_VALUE;
    private int size;

    /** Makes an empty list. */
    public TimedList() {}

    /**
     * Adds one that is not in a list.
     *
     * @param timed which
     */
    public void add(Timed timed) {
        timed.listed = true;
        timed.previous = null;
        timed.next = head;
        if (head != null) {
            head.previous = timed;
        }
        head = timed;
        size++;
    }

    /**
     * Removes one, if it is there.
     *
     * @param timed which
     */
    public void remove(Timed timed) {
        if (!timed.listed) {
            return;
        }
        timed.listed = false;
        Timed before = timed.previous;
        Timed after = timed.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        timed.previous = null;
        timed.next = null;
        size--;
    }

    /**
     * How many there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * Looks for those whose time is over.
     *
     * @param nowNs the time
     */
    public void tick(long nowNs) {
        boolean lookedLately = lookedNs != Long.MIN_VALUE && nowNs - lookedNs < PERIOD_NS;
        if (head == null || lookedLately) {
            return;
        }
        lookedNs = nowNs;
        Timed timed = head;
        while (timed != null) {
            Timed after = timed.next;
            if (timed.deadlineNs != Timed.NEVER && nowNs - timed.deadlineNs >= 0) {
                timed.deadlineNs = Timed.NEVER;
                timed.expired();
            }
            timed = after != null && after.listed ? after : after == null ? null : head;
        }
    }
}
