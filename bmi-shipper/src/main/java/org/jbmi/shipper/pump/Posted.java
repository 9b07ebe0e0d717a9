package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

/** An operation on its way, and what is to be done when it is over. Guarded by the pump's lock. */
public abstract class Posted {
    /** The id while it is pending, else 0. */
    long id;

    /** What is done when it was over with its post, until the pump gets to it. */
    int error;

    long sizeBytes;

    /** Of what is on its way. */
    @Nullable PostedSet<?> set;

    int place;

    /** Made by whoever posts. */
    protected Posted() {}

    /**
     * Whether its outcome is still to come.
     *
     * @return true if it is
     */
    public final boolean isPending() {
        return id != 0;
    }

    /**
     * The operation is over. Called once for each post, under the lock of the pump.
     *
     * @param code 0 or a negative error
     * @param bytes the size of what was moved
     */
    protected abstract void done(int code, long bytes);
}
