package org.jbmi.zoidfs.server;

import org.jbmi.zoidfs.client.ZoidfsClient;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for a fact, and fails in words when it does not come. */
final class Await {
    private static final long LONGEST_S = 30;

    private Await() {}

    static void until(String what, BooleanSupplier fact) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_S);
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("In " + LONGEST_S + " s it did not come: " + what);
            }
            Thread.onSpinWait();
        }
    }

    /** Waits until a server answers, however short the time-out of the client is. */
    static void answer(ZoidfsClient client) {
        until(
                "an answer of a server",
                () -> {
                    try {
                        client.ping();
                        return true;
                    } catch (IOException e) {
                        return false;
                    }
                });
    }
}
