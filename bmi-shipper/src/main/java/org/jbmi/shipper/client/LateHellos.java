package org.jbmi.shipper.client;

import java.util.ArrayDeque;

/**
 * Hellos whose welcome no thread waits for any more: the latest few. Guarded by the pump's lock.
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
        if (hellos.size() > MOST) {
            core.pump().cancel(hellos.removeFirst());
        }
    }

    void remove(Hello hello) {
        hellos.remove(hello);
    }

    int size() {
        return hellos.size();
    }
}
