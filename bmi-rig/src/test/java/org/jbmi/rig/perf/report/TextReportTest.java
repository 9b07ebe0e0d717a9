package org.jbmi.rig.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;

/** What the report says of figures that the machine does not give. */
@Timeout(30)
class TextReportTest {
    private static String report(double slowdown, double load) {
        Phase phase = new Phase(Pattern.RPC, 64, 1, 0, 0, 0, Phase.Options.NONE);
        PerfPlan plan =
                new PerfPlan(
                        "tcp",
                        phase,
                        List.of(64),
                        PerfPlan.Clients.ONE,
                        1,
                        WaitMode.SPIN,
                        CpuPlacement.FREE,
                        new PerfPlan.Times(1, 1, 1),
                        new PerfPlan.Peers(List.of(), List.of()),
                        Map.of(),
                        "",
                        false,
                        null);
        Finding ours =
                new Finding(
                        "tcp",
                        "played",
                        phase,
                        PhaseResult.empty(),
                        List.of(),
                        Map.of(),
                        new Finding.Threads(1, 1));
        Findings findings =
                new Findings(
                        plan, List.of(ours), List.of(), 0.1, 0.1, slowdown, load, null, List.of());
        return String.join("\n", TextReport.of(findings));
    }

    @Test
    void theLoadAndTheSlowdownAreSaidIfTheyAreKnown() {
        assertThat(report(1.5, 0.25)).contains("each takes 1.50 times", "Load of the machine");
        assertThat(report(0, -1)).contains("0.100 us after.").doesNotContain("times", "Load");
    }
}
