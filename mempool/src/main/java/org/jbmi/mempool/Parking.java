package org.jbmi.mempool;

import org.jspecify.annotations.Nullable;

/**
 * Parks and unparks threads of one process. {@link ThreadParking} in production; a simulation
 * replaces it. Any thread may call this.
 */
public interface Parking {

    /**
     * The calling thread, for {@link #unpark}.
     *
     * @return the calling thread, or a simulated one
     */
    Thread current();

    /**
     * Parks until another thread unparks this thread, or has done so since it last parked. Also
     * returns when the time has passed, or for no reason: the caller must check again. An
     * interrupted thread does not park, and stays interrupted.
     *
     * @param blocker the object that it waits for, for thread dumps
     * @param timeoutNs longest wait in nanoseconds; 0 or less returns at once
     */
    void park(Object blocker, long timeoutNs);

    /**
     * Unparks a thread, or prevents its next park.
     *
     * @param thread the thread; null for none
     */
    void unpark(@Nullable Thread thread);
}
