package org.jbmi.simulator.heap;

/** What a process gets in place of an object where the heap is full. */
public final class HeapFull extends OutOfMemoryError {
    private static final long serialVersionUID = 1;

    /** To be thrown. */
    public HeapFull() {
        super("the heap is full, by the schedule");
    }
}
