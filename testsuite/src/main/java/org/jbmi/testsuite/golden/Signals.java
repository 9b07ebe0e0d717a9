package org.jbmi.testsuite.golden;

import java.util.HashSet;
import java.util.Set;

/** What the two sides of a recording tell each other beside the connection. */
final class Signals {
    private final Set<String> given = new HashSet<>();

    synchronized void give(String name) {
        given.add(name);
        notifyAll();
    }

    synchronized boolean isGiven(String name) {
        return given.contains(name);
    }

    synchronized void await(String name, long deadlineNs) throws InterruptedException {
        while (!given.contains(name)) {
            long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new IllegalStateException("The signal \"" + name + "\" did not come.");
            }
            wait(leftMs);
        }
    }
}
