package org.jbmi.simulator.process;

/** Unwinds the stack of a process that ends. Only the process's lowest frame catches it. */
public final class SimCrash extends Error {
    private static final long serialVersionUID = 1;

    private final transient SimProcess process;

    public SimCrash(SimProcess process) {
        super(process + " has ended", null, false, false);
        this.process = process;
    }

    public SimProcess process() {
        return process;
    }
}
