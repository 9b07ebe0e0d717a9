package org.jbmi.simulator.heap;

/** A thread that is called before each object that the library makes in it. */
public abstract class AllocationThread extends Thread {
    private static final long STACK_BYTES = 64L << 20;

    private int paused;

    /** For threads that run worlds. */
    protected AllocationThread(String name) {
        super(null, null, name, STACK_BYTES);
    }

    /** Called before an object is made; throws {@link HeapFull} if it finds no room. */
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
