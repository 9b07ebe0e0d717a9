package org.jbmi.mempool;

/** A clock for intervals; a simulation replaces it. */
@FunctionalInterface
public interface NanoClock {

    /**
     * The clock of the running process, {@link System#nanoTime}. A lambda, because a test that
     * rewrites classes to count the reads of clocks does not find a method reference.
     */
    NanoClock SYSTEM = () -> System.nanoTime();

    /**
     * Nanoseconds since some moment that is fixed for the life of the clock. Values may be negative
     * and wrap: compare by difference.
     *
     * @return the time now
     */
    long nanoTime();
}
