package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

/** Something that can be waited for, and that may have a deadline. */
public abstract class Timed extends Awaited {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Guarded by the lock of the pump. */
    long deadlineNs = NEVER;

    @Nullable Timed previous;
    @Nullable Timed next;
    boolean listed;

    /** Made by whoever has a deadline. */
    protected Timed() {}

    /**
     * Sets the deadline; under the lock.
     *
     * @param ns on the pump's clock, {@link #NEVER} for none
     */
    public final void deadlineNs(long ns) {
        deadlineNs = ns;
    }

    /**
     * When it is over.
     *
     * @return on the pump's clock, {@link #NEVER} for none
     */
    public final long deadlineNs() {
        return deadlineNs;
    }

    /** The deadline has passed, and is {@link #NEVER} again; under the lock. */
    protected abstract void expired();
}
