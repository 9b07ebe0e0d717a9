package org.jbmi.mempool;

/** A clock for intervals; a simulation replaces it. */
@FunctionalInterface
public interface NanoClock {

    /**
     * Nanoseconds since some moment that is fixed for the life of the clock. Values may be negative
     * and wrap: compare by difference.
     *
     * @return the time now
     */
    long nanoTime();
}
