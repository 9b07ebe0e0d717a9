package org.jbmi.demo;

import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerEvent;
import org.jbmi.demo.worker.WorkerListener;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The queue of events from all workers to the coordinator. A worker that sends too many events
 * waits.
 */
final class DemoEvents implements WorkerListener {
    private static final int CAPACITY = 4096;

    /** One event. */
    record Item(Worker worker, WorkerEvent event) {}

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>(CAPACITY);
    private volatile boolean closed;

    @Override
    public void heard(Worker worker, WorkerEvent event) {
        Item item = new Item(worker, event);
        try {
            boolean taken = false;
            while (!closed && !taken) {
                taken = items.offer(item, 1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the next event; null after the time without any. */
    @Nullable Item poll(long timeoutMs) throws InterruptedException {
        return items.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Drops all later events. */
    void close() {
        closed = true;
        items.clear();
    }
}
