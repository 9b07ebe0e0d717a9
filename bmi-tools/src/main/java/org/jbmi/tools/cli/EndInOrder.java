package org.jbmi.tools.cli;

import java.util.concurrent.CountDownLatch;

/**
 * Lets a command that stays be ended by SIGTERM and Ctrl-C, in order and with exit status 0: being
 * told to end is no failure.
 */
public final class EndInOrder {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    /** Nobody has asked yet. */
    public EndInOrder() {}

    /** From here on a signal asks for the end, and waits for it. */
    public void listen() {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::end));
    }

    /**
     * Waits until somebody asks for the end.
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

    /** Everything was let go. */
    public void over() {
        over.countDown();
    }

    private void end() {
        if (over.getCount() == 0) {
            return; // it ends by itself, with a status of its own
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
