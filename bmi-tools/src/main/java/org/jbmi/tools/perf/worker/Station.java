package org.jbmi.tools.perf.worker;

import java.io.IOException;

/** A process of a measurement, while it is up. */
public interface Station extends AutoCloseable {
    /**
     * Runs a phase; only those that measure.
     *
     * @param phase what to do
     * @return what it gave
     * @throws Exception if it cannot be done; its message is a sentence
     */
    PhaseResult run(Phase phase) throws Exception;

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
