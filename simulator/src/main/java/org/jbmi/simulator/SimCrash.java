package org.jbmi.simulator;

/** Unwinds the stack of a process that ends. Only the process's lowest frame catches it. */
final class SimCrash extends Error {
    private static final long serialVersionUID = 1;

    private final transient SimProcess process;

    SimCrash(SimProcess process) {
        super(process + " has ended", null, false, false);
        this.process = process;
    }

    SimProcess process() {
        return process;
    }
}
