package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.tools.cli.ToolException;

import java.util.List;

/**
 * The target with few pending receives, in the same processes and in turns with many. Two runs one
 * after the other would compare two states of the machine.
 */
final class FewPendingSide extends Side {
    private final Side target;

    /** Runs on the processes of the target, which opens and closes them. */
    FewPendingSide(Side target) {
        super(PerfPlan.Peers.FEW_PENDING);
        this.target = target;
    }

    @Override
    String setup() {
        return "the same processes, with " + PerfPlan.Peers.FEW + " receives pending";
    }

    @Override
    Finding.Threads threads() {
        return target.threads();
    }

    @Override
    void open() {
        // The target has opened everything.
    }

    @Override
    Phase phase(Phase ofTarget) {
        return ofTarget.among(PerfPlan.Peers.FEW);
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        return target.run(phase);
    }

    @Override
    List<Long> pids() {
        return target.pids();
    }

    @Override
    int compiling() {
        return target.compiling();
    }
}
