package org.jbmi.simulator;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.zbmi.link.PeerMapping;

import java.lang.foreign.MemorySegment;

/** A segment as a process sees it that has mapped it. */
final class SimMapping implements PeerMapping {
    private final Segment of;
    private final SharedMemory view;

    SimMapping(Segment of, SimProcess process) {
        this.of = of;
        this.view = new SimMemory(of.raw(), process);
    }

    @Override
    public SharedMemory memory() {
        return view;
    }

    @Override
    public MemorySegment segment() {
        return of.memory();
    }

    @Override
    public void close() {
        // The memory goes when nobody sees it any more.
    }
}
