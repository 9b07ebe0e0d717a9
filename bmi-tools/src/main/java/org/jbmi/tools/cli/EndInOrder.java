package org.jbmi.tools.cli;

import java.util.concurrent.CountDownLatch;

/**
 * Ends a long-running command after SIGTERM or Ctrl-C, with a clean-up and exit status 0, because a
 * signal is not a failure.
 */
public final class EndInOrder {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    /** Makes one without a signal so far. */
    public EndInOrder() {}

    /** From now on a signal asks for the end and waits for it. */
    public void listen() {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::end));
    }

    /**
     * Waits until a signal or {@link #ask} asks for the end.
     *
     * @throws InterruptedException if the thread is interrupted
     */
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
