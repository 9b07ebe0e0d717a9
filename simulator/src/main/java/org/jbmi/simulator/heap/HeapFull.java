package org.jbmi.simulator.heap;

/** The error that a process gets when the heap is full. */
public final class HeapFull extends OutOfMemoryError {
    private static final long serialVersionUID = 1;

    /** Makes the error. */
    public HeapFull() {
        super("the heap is full, by the schedule");
    }
}
