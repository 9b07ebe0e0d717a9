package org.jbmi.testsuite;

/**
 * A process between the peers of an environment, such as a daemon. Cases stop it, kill it and start
 * it again; an environment closes with its broker in any state.
 */
public interface Broker {
    /**
     * Starts it, and returns when it accepts peers.
     *
     * @throws org.jbmi.BmiException with {@link org.jbmi.ErrorCode#EBUSY} if another one is there
     */
    void start();

    /** {@return whether it was started and has not ended} */
    boolean isRunning();

    /** Ends it normally; does nothing if it does not run. */
    void stop();

    /**
     * Kills it without a chance to release anything. Only if the environment was opened with a
     * broker in a process of its own.
     */
    void kill();

    /** {@return the id of the process it runs in, which may be that of the caller} */
    long processId();

    /**
     * One of its counters; only while it runs.
     *
     * @param label its name
     * @return its value
     * @throws RuntimeException if it has no such counter
     */
    long counter(String label);
}
