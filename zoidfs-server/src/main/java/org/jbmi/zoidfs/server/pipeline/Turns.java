package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveQueue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.Consumer;

/** The tasks of calls that wait for a worker. Clients take turns. Owned by the ordering stage. */
final class Turns {
    private final int maximumActive;
    private final Consumer<DiskTask> workers;
    private int active;

    /** No queue is empty, since to add a task takes no memory. */
    private final SequencedMap<Long, IntrusiveQueue<DiskTask>> waiting =
            HashMaps.prepared(new LinkedHashMap<>());

    Turns(int maximumActive, Consumer<DiskTask> workers) {
        this.maximumActive = maximumActive;
        this.workers = workers;
    }

    private IntrusiveQueue<DiskTask> ofClient(Call call) {
        return waiting.computeIfAbsent(call.peer.id(), id -> new IntrusiveQueue<>());
    }

    /** Adds the task of a call, behind the others of its client. */
    void add(Call call, DiskTask task) {
        ofClient(call).addLast(task);
    }

    /**
     * Adds a task that keeps others from its file. The task of a call comes behind the others of
     * its client: else newer ones could keep it waiting for ever. A task without a call needs no
     * turn.
     */
    void add(DiskTask task) {
        Call call = task.call();
        if (call == null) {
            workers.accept(task);
        } else {
            add(call, task);
        }
    }

    /** Gives the workers the tasks that may begin; each ends with {@link #over}. */
    void start() {
        while (active < maximumActive && !waiting.isEmpty()) {
            Map.Entry<Long, IntrusiveQueue<DiskTask>> client = waiting.entrySet().iterator().next();
            IntrusiveQueue<DiskTask> tasks = client.getValue();
            DiskTask task = Objects.requireNonNull(tasks.poll());
            if (tasks.isEmpty()) {
                waiting.remove(client.getKey());
            } else {
                // To the end of the round; takes no memory.
                waiting.putLast(client.getKey(), tasks);
            }
            active++;
            task.begin();
            task.give(workers);
        }
    }

    void over() {
        active--;
    }
}
