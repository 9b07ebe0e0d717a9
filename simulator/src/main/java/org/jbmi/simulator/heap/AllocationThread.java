package org.jbmi.simulator.heap;

/** A thread that is asked before each object that the library makes in it. */
public abstract class AllocationThread extends Thread {
    private static final long STACK_BYTES = 64L << 20;

    private int paused;

    /**
     * For whoever plays worlds in it.
     *
     * @param name of the thread
     */
    protected AllocationThread(String name) {
        super(null, null, name, STACK_BYTES);
    }

    /** An object is about to be made; throws {@link HeapFull} where there is to be no room. */
    protected abstract void allocates();

    final void soon() {
        if (paused == 0) {
            allocates();
        }
    }

    final void pause(int delta) {
        paused += delta;
    }
}
