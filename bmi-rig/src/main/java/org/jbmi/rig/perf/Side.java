package org.jbmi.rig.perf;

import org.jbmi.rig.perf.worker.Footprint;
import org.jbmi.rig.perf.worker.Phase;
import org.jbmi.rig.perf.worker.PhaseResult;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All processes of one way of carrying messages. Closing ends them. */
abstract class Side implements AutoCloseable {
    private final String name;
    private final List<WorkerProcess> processes = new ArrayList<>();

    Side(String name) {
        this.name = name;
    }

    /** What is compared: the target, or a baseline. */
    final String name() {
        return name;
    }

    /** How it is set up, in words; once it is open. */
    abstract String setup();

    /** How many threads take part. */
    abstract Finding.Threads threads();

    /** Starts everything and waits until it is up. */
    abstract void open() throws IOException, ToolException, InterruptedException;

    /**
     * What this side does while the target does what is given: the same, unless it says otherwise.
     */
    Phase phase(Phase ofTarget) {
        return ofTarget;
    }

    /** Runs a phase of its own on all clients. */
    abstract PhaseResult run(Phase phase) throws ToolException, InterruptedException;

    /** Keeps a process, to be ended with this. */
    final synchronized WorkerProcess add(WorkerProcess process) {
        processes.add(process);
        return process;
    }

    /** Everything that was started, in that order. */
    final synchronized List<WorkerProcess> processes() {
        return List.copyOf(processes);
    }

    /** The process ids of all of it. */
    List<Long> pids() {
        return processes().stream().flatMap(process -> process.pids().stream()).toList();
    }

    static PhaseResult runAll(List<WorkerProcess> clients, Phase phase)
            throws ToolException, InterruptedException {
        begin(clients, phase);
        PhaseResult sum = PhaseResult.empty();
        for (WorkerProcess client : clients) {
            sum = sum.with(client.finish(phase));
        }
        return sum;
    }

    /** Has all of them prepare a phase, and send when the last is ready to. */
    static void begin(List<WorkerProcess> some, Phase phase)
            throws ToolException, InterruptedException {
        for (WorkerProcess process : some) {
            process.prepare(phase);
        }
        for (WorkerProcess process : some) {
            process.awaitOpened();
        }
        for (WorkerProcess process : some) {
            process.go();
        }
    }

    static Footprint footprint(List<WorkerProcess> some)
            throws ToolException, InterruptedException {
        Footprint sum = new Footprint(0, 0, 0);
        for (WorkerProcess process : some) {
            sum = sum.plus(process.footprint());
        }
        return sum;
    }

    @Override
    public synchronized void close() throws IOException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        processes.clear();
    }
}
