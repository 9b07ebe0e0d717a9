package org.jbmi.rig.perf.worker;

import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;

import java.io.IOException;

/** An open process of a measurement. */
public interface Endpoint extends AutoCloseable {
    /** The barrier at which a process waits for the others. */
    @FunctionalInterface
    interface Gate {
        /** Reports this process and waits for the others. */
        void pass();
    }

    /**
     * Runs a phase; only measuring processes do. One of several processes waits at the gate before
     * its first message. A client of BMI waits there twice: when it is connected, and when it has
     * asked what the server has spent until then.
     *
     * @param gate passed once, by a client of BMI twice
     * @throws Exception if it fails; the message says why
     */
    PhaseResult run(Phase phase, Gate gate) throws Exception;

    /**
     * {@return the address that others look up, with its actual port; empty if no process connects
     * to it}
     */
    default String address() {
        return "";
    }

    @Override
    void close() throws IOException;
}
