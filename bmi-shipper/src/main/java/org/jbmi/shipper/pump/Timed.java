package org.jbmi.shipper.pump;

import org.jbmi.spi.LinkedNode;

/** Something that can be waited for, and that may have a deadline. */
public abstract class Timed extends Awaited {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private final Place place = new Place(this);

    /** Guarded by the lock of the pump. */
    private long deadlineNs = NEVER;

    /** Its place in a {@link TimedList}: a node beside it, since what is awaited has no links. */
    public static final class Place extends LinkedNode {
        private final Timed timed;

        private Place(Timed timed) {
            this.timed = timed;
        }

        /**
         * Ends what stands here if its time is over; under the lock.
         *
         * @param nowNs the time on the pump's clock
         */
        public void tick(long nowNs) {
            if (timed.deadlineNs != NEVER && nowNs - timed.deadlineNs >= 0) {
                timed.deadlineNs = NEVER;
                timed.expired();
            }
        }
    }

    /** For subclasses. */
    protected Timed() {}

    /**
     * Sets the deadline; under the lock.
     *
     * @param ns on the pump's clock, {@link #NEVER} for none
     */
    public final void deadlineNs(long ns) {
        deadlineNs = ns;
    }

    /** Its place in a list, always the same. */
    public final Place place() {
        return place;
    }

    /** The deadline has passed, and is {@link #NEVER} again; under the lock. */
    protected abstract void expired();
}
