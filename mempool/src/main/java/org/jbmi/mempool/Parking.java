package org.jbmi.mempool;

import org.jspecify.annotations.Nullable;

/**
 * How a thread stands still until another one of its process lets it go on. A seam: {@link
 * ThreadParking} in production; a simulated schedule may decide itself who goes on when. For any
 * thread.
 */
public interface Parking {

    /**
     * Whoever calls, as others know it who {@link #unpark} it.
     *
     * @return the calling thread, or what is played as one
     */
    Thread current();

    /**
     * Stands still until somebody unparks this thread, or has done so since it last stood still; or
     * until the time has passed, or for no reason: look again. A thread that was interrupted does
     * not stand still, and stays interrupted.
     *
     * @param blocker what it waits at, for people who look at the thread
     * @param timeoutNs longest wait in nanoseconds; 0 or less returns at once
     */
    void park(Object blocker, long timeoutNs);

    /**
     * Lets a thread go on that stands still, or does not let it stand still the next time.
     *
     * @param thread which one; null for none
     */
    void unpark(@Nullable Thread thread);
}
