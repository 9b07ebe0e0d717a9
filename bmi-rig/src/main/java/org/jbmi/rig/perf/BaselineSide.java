package org.jbmi.rig.perf;

import org.jbmi.rig.perf.baseline.Baseline;
import org.jbmi.rig.perf.baseline.BaselineEndpoints;
import org.jbmi.rig.perf.worker.Phase;
import org.jbmi.rig.perf.worker.PhaseResult;
import org.jbmi.rig.perf.worker.WorkerPlan;
import org.jbmi.rig.perf.worker.WorkerPlan.Role;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Two processes of a baseline. */
final class BaselineSide extends Side {
    private final PerfPlan plan;
    private final Baseline baseline;
    private final List<Integer> cpus;
    private final PrivateDirectory directory;

    BaselineSide(PerfPlan plan, String name, List<Integer> cpus, Path memory) throws IOException {
        super(name);
        this.plan = plan;
        this.cpus = cpus;
        baseline = Baseline.find(name);
        directory = PrivateDirectory.create(memory);
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
        String place = BaselineEndpoints.address(directory.path().toString(), 0);
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
