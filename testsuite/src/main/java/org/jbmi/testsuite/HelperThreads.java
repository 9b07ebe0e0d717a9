package org.jbmi.testsuite;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** The threads that a case started beside its own. */
final class HelperThreads {
    private static final long JOIN_MS = 20_000;

    private final List<Thread> threads = new ArrayList<>();

    /** Runs something in a thread of its own. */
    <T> FutureTask<T> start(String name, Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        synchronized (threads) {
            threads.add(thread);
        }
        thread.start();
        return task;
    }

    /** Waits until all have ended; fails if one does not. */
    void join() {
        List<Thread> started;
        synchronized (threads) {
            started = new ArrayList<>(threads);
        }
        for (Thread thread : started) {
            try {
                thread.join(JOIN_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Expect.that(!thread.isAlive(), "thread " + thread.getName() + " of the case ends");
        }
    }
}
