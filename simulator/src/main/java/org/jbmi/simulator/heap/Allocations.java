package org.jbmi.simulator.heap;

/**
 * Called by the library before each object that it makes, if an {@link AllocationLoader} has loaded
 * it.
 */
public final class Allocations {
    private Allocations() {}

    /** Called before an object is made; throws if the schedule says that there is no room. */
    public static void soon() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.soon();
        }
    }

    /** Begins the initialization of a class, which happens once in the life of its loader. */
    public static void pause() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.pause(1);
        }
    }

    /** Ends the initialization of a class. */
    public static void resume() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.pause(-1);
        }
    }
}
