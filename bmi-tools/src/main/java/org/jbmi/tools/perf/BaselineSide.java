package org.jbmi.tools.perf;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.demo.DemoDirectory;
import org.jbmi.tools.perf.baseline.Baseline;
import org.jbmi.tools.perf.baseline.BaselineStations;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.PhaseResult;
import org.jbmi.tools.perf.worker.WorkerPlan;
import org.jbmi.tools.perf.worker.WorkerPlan.Role;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Two processes of a baseline. */
final class BaselineSide extends Side {
    private final PerfPlan plan;
    private final Baseline baseline;
    private final List<Integer> cpus;
    private final DemoDirectory directory;

    BaselineSide(PerfPlan plan, String name, List<Integer> cpus, Path memory) throws IOException {
        super(name);
        this.plan = plan;
        this.cpus = cpus;
        baseline = Baseline.find(name);
        directory = DemoDirectory.create(memory);
    }

    @Override
    String setup() {
        return baseline.setup(plan.waiting());
    }

    @Override
    Finding.Threads threads() {
        return new Finding.Threads(1, 1);
    }

    @Override
    void open() throws IOException, ToolException, InterruptedException {
        String place = BaselineStations.address(directory.path().toString(), 0);
        String address = start(Role.SERVER, place).awaitReady();
        start(Role.CLIENT, address).awaitReady();
    }

    private WorkerProcess start(Role role, String address) throws IOException {
        return add(
                WorkerProcess.start(
                        new WorkerPlan(
                                role,
                                address,
                                plan.waiting(),
                                1,
                                1,
                                plan.cpus().of(cpus),
                                baseline.name(),
                                Map.of()),
                        baseline.jvmOptions()));
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        List<WorkerProcess> both = processes();
        WorkerProcess server = both.getFirst();
        begin(List.of(server), phase);
        return runAll(List.of(both.getLast()), phase).besideServer(server.finish(phase));
    }

    @Override
    public synchronized void close() throws IOException {
        try (directory) {
            super.close();
        }
    }
}
