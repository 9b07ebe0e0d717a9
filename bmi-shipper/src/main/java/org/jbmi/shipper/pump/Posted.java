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

    /** The error of a post that threw, else 0. */
    int refusal;

    /** Used by {@link PostedSet}. */
    @Nullable PostedSet<?> set;

    int place;

    /** For subclasses. */
    protected Posted() {}

    /** Whether it is pending. */
    public final boolean isPending() {
        return id != 0;
    }

    /**
     * Whether it was refused in its post: its memory cannot be used, or the heap is full. Then it
     * has nothing to do with the peer.
     */
    public final boolean isRefused() {
        return refusal != 0;
    }

    /**
     * The error of its post if it {@linkplain #isRefused was refused}: ENOMEM if there was no
     * memory for the post, or another negative code; else 0.
     */
    public final int refusal() {
        return refusal;
    }

    /**
     * The operation is over. Called once for each post, under the lock of the pump.
     *
     * @param code 0 or a negative error
     * @param bytes the size of what was moved
     */
    protected abstract void done(int code, long bytes);
}
