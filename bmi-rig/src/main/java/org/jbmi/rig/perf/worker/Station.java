package org.jbmi.rig.perf.worker;

import java.io.IOException;

/** A process of a measurement, while it is up. */
public interface Station extends AutoCloseable {
    /** Where a process waits until all that take part have opened their connections. */
    @FunctionalInterface
    interface Gate {
        /** Says that this process is there, and waits for the others. */
        void pass();
    }

    /**
     * Runs a phase; only those that measure. Who is one of several waits at the gate before the
     * first message.
     *
     * @param phase what to do
     * @param gate to be passed once
     * @return what it gave
     * @throws Exception if it cannot be done; its message is a sentence
     */
    PhaseResult run(Phase phase, Gate gate) throws Exception;

    /**
     * Where others find it, once it is open.
     *
     * @return an address with the port that the system gave; empty if nobody comes to it
     */
    default String address() {
        return "";
    }

    @Override
    void close() throws IOException;
}
