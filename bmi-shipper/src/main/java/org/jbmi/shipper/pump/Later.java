package org.jbmi.shipper.pump;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/**
 * An action that the pump runs after its lock is released, and again if it finds no memory: a
 * second run must do no harm. It is made while its caller can still be told that there is no
 * memory, and needed when the heap may be full. Guarded by the pump's lock, until the pump takes it
 * to run it.
 */
public final class Later extends LinkedNode {
    final Runnable action;

    /** The one to be run behind it. */
    @Nullable Later next;

    /** Makes one that waits for nothing yet. */
    public Later(Runnable action) {
        this.action = action;
    }
}
