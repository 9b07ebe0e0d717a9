package org.jbmi.architecture.guilty;

import java.lang.foreign.MemorySegment;

/** Gives a segment a size that nobody checked. */
public final class Reinterprets {

    /**
     * Widens.
     *
     * @param segment any
     * @return the same address, a page long
     */
    public MemorySegment widen(MemorySegment segment) {
        return segment.reinterpret(4096);
    }
}
