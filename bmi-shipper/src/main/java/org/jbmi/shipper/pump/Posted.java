package org.jbmi.shipper.pump;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/** A pending operation with the action at its end. Guarded by the pump's lock. */
public abstract class Posted extends LinkedNode {
    /** The id while it is pending, else 0. */
    long id;

    /** The outcome of an operation that completed in its post, until the pump reports it. */
    int error;

    long sizeBytes;

    /** Whether its post threw. */
    boolean refused;

    /** Used by {@link PostedSet}. */
    @Nullable PostedSet<?> set;

    int place;

    /** For subclasses. */
    protected Posted() {}

    /**
     * Whether it is pending.
     *
     * @return true if it is
     */
    public final boolean isPending() {
        return id != 0;
    }

    /**
     * Whether it was refused in its post, for example because its memory cannot be used. Then it
     * has nothing to do with the peer.
     *
     * @return true if it was
     */
    public final boolean isRefused() {
        return refused;
    }

    /**
     * The operation is over. Called once for each post, under the lock of the pump.
     *
     * @param code 0 or a negative error
     * @param bytes the size of what was moved
     */
    protected abstract void done(int code, long bytes);
}
