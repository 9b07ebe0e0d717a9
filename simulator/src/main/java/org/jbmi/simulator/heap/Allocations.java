package org.jbmi.simulator.heap;

/**
 * Told by the products' code before each object that it is about to make, where an {@link
 * AllocationLoader} has loaded it.
 */
public final class Allocations {
    private Allocations() {}

    /** An object is about to be made; throws where the schedule says that there is no room. */
    public static void soon() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.soon();
        }
    }

    /** A class is being initialized, which happens once in the life of its loader. */
    public static void pause() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.pause(1);
        }
    }

    /** The class is initialized. */
    public static void resume() {
        if (Thread.currentThread() instanceof AllocationThread own) {
            own.pause(-1);
        }
    }
}
