package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.spi.HashMaps;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;

/** The tasks of calls that wait for a worker. Clients take turns. Owned by the ordering stage. */
final class Turns {
    private final int maximumActive;
    private final Consumer<DiskTask> workers;
    private int active;
    private final SequencedMap<Long, Deque<DiskTask>> waiting =
            HashMaps.prepared(new LinkedHashMap<>());

    Turns(int maximumActive, Consumer<DiskTask> workers) {
        this.maximumActive = maximumActive;
        this.workers = workers;
    }

    private Deque<DiskTask> ofClient(Call call) {
        return waiting.computeIfAbsent(call.peer.id(), id -> new ArrayDeque<>());
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
            Map.Entry<Long, Deque<DiskTask>> client = waiting.entrySet().iterator().next();
            Deque<DiskTask> tasks = client.getValue();
            DiskTask task = tasks.remove();
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
