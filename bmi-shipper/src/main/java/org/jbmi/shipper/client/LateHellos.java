package org.jbmi.shipper.client;

import java.util.ArrayDeque;

/**
 * Hellos whose welcome no thread waits for any more: the latest few, and those before them until
 * their cancels are reported. Guarded by the pump's lock.
 */
final class LateHellos {
    private static final int MOST = 16;

    private final ClientCore core;
    private final ArrayDeque<Hello> hellos = new ArrayDeque<>(MOST + 1);

    LateHellos(ClientCore core) {
        this.core = core;
    }

    void add(Hello hello) {
        hellos.addLast(hello);
        int surplus = hellos.size() - MOST;
        for (Hello each : hellos) {
            if (surplus-- > 0) {
                core.pump().cancel(each); // it stays: a cancel that fails is done again
            }
        }
    }

    boolean has(Hello hello) {
        return hellos.contains(hello);
    }

    /** Whether it was one of them. */
    boolean remove(Hello hello) {
        return hellos.remove(hello);
    }

    int size() {
        return hellos.size();
    }
}
