package org.jbmi.rig.perf;

import org.jbmi.rig.perf.baseline.MemoryCopy;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.phase.WorkerPlan.Role;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.util.List;

/** One process that only copies, as an upper bound for a stream through memory. */
final class CopySide extends Side {
    private final PerfPlan plan;
    private final List<Integer> cpus;

    CopySide(PerfPlan plan, List<Integer> cpus) {
        super(MemoryCopy.NAME);
        this.plan = plan;
        this.cpus = cpus;
    }

    @Override
    String setup() {
        return MemoryCopy.SETUP;
    }

    @Override
    Finding.Threads threads() {
        return new Finding.Threads(1, 0);
    }

    @Override
    void open() throws IOException, ToolException, InterruptedException {
        WorkerPlan worker = plan.ofBaseline(Role.CLIENT, "-", MemoryCopy.NAME, cpus);
        add(WorkerProcess.start(worker, List.of())).awaitReady();
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        return runAll(processes(), phase, 1);
    }
}
