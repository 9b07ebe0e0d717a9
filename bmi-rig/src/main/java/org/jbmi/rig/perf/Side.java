package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Footprint;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All processes of the target or of a baseline. Its close ends them. */
abstract class Side implements AutoCloseable {
    private final String name;
    private final List<WorkerProcess> processes = new ArrayList<>();

    Side(String name) {
        this.name = name;
    }

    /** The name of the target or baseline. */
    final String name() {
        return name;
    }

    /** A description of its setup; available once it is open. */
    abstract String setup();

    /** How many threads take part. */
    abstract Finding.Threads threads();

    /** Starts all processes and waits until they are ready. */
    abstract void open() throws IOException, ToolException, InterruptedException;

    /** The phase of this side for a phase of the target; by default the same. */
    Phase phase(Phase ofTarget) {
        return ofTarget;
    }

    /** Runs a phase on all clients. */
    abstract PhaseResult run(Phase phase) throws ToolException, InterruptedException;

    /** Keeps a process; the close of this side ends it. */
    final synchronized WorkerProcess add(WorkerProcess process) {
        processes.add(process);
        return process;
    }

    /** All started processes, in the order of their start. */
    final synchronized List<WorkerProcess> processes() {
        return List.copyOf(processes);
    }

    /** The ids of all processes. */
    List<Long> pids() {
        return processes().stream().flatMap(process -> process.pids().stream()).toList();
    }

    /** How many processes tell in their results how long their JIT compilers worked. */
    int compiling() {
        return processes().size();
    }

    /** Runs a phase on processes that wait for each other at a number of places. */
    static PhaseResult runAll(List<WorkerProcess> clients, Phase phase, int gates)
            throws ToolException, InterruptedException {
        begin(clients, phase, gates);
        return finish(clients, phase);
    }

    /** Waits for the results of all processes. */
    static PhaseResult finish(List<WorkerProcess> clients, Phase phase)
            throws ToolException, InterruptedException {
        PhaseResult sum = PhaseResult.empty();
        for (WorkerProcess client : clients) {
            sum = sum.with(client.finish(phase));
        }
        return sum;
    }

    /**
     * Lets all processes prepare a phase, and then send together. They wait for each other at a
     * number of places before that.
     */
    static void begin(List<WorkerProcess> some, Phase phase, int gates)
            throws ToolException, InterruptedException {
        for (WorkerProcess process : some) {
            process.prepare(phase);
        }
        for (int gate = 0; gate < gates; gate++) {
            for (WorkerProcess process : some) {
                process.awaitOpened();
            }
            for (WorkerProcess process : some) {
                process.go();
            }
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

    /** Tells all processes to end, and does not wait for it. */
    final synchronized void tellToEnd() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).tellToEnd();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        tellToEnd();
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        processes.clear();
    }
}
