package org.jbmi.tools.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a long-running command after SIGTERM or Ctrl-C, with a clean-up and exit status 0, because a
 * signal is not a failure.
 */
public final class EndInOrder {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    /** From now on a signal asks for the end and waits for it. */
    public void listen() {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::end));
    }

    /** Waits until a signal or {@link #ask} asks for the end. */
    public void await() throws InterruptedException {
        asked.await();
    }

    /** Asks for the end. */
    public void ask() {
        asked.countDown();
    }

    /** Reports that the clean-up is complete. */
    public void over() {
        over.countDown();
    }

    /**
     * For a hook: waits for a clean-up, and not for its thread, because the thread waits for the
     * end of the hooks. If the clean-up takes too long, the process ends with status 1.
     *
     * @param closed counted down when the clean-up is complete
     * @param timeoutMs how long it may take
     */
    public static void awaitOrHalt(CountDownLatch closed, long timeoutMs) {
        boolean inTime = false;
        try {
            inTime = closed.await(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!inTime) {
            Runtime.getRuntime().halt(1);
        }
    }

    private void end() {
        if (over.getCount() == 0) {
            return; // the program ends by itself, with its own status
        }
        ask();
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0);
    }
}
