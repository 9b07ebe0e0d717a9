package org.jbmi.tools.perf.table;

import org.jbmi.tools.perf.Distance;
import org.jbmi.tools.perf.Finding;
import org.jbmi.tools.perf.Findings;
import org.jbmi.tools.perf.PerfPlan;
import org.jbmi.tools.perf.worker.Pattern;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A call of the plug-in "test" beside a call of the shipper beside an RPC, in turns, by method. */
public final class CallTable {
    /** What asks for it in the place of a method. */
    public static final String NAME = "calls";

    private static final int SMALL_BYTES = 64;

    private final TableRuns runs;

    /**
     * Prepares the table.
     *
     * @param runs measures and prints
     */
    public CallTable(TableRuns runs) {
        this.runs = runs;
    }

    /**
     * Measures and prints.
     *
     * @throws IOException if a process cannot be started
     * @throws InterruptedException if the thread is interrupted
     */
    public void print() throws IOException, InterruptedException {
        runs.head(
                List.of(
                        "method",
                        "64 B there and back",
                        "p50",
                        "/ RPC",
                        "/ call of the shipper",
                        "thread share, %",
                        "compilers, %"));
        rows("loopback", Map.of());
        rows("zoid", Map.of(PerfPlan.HOST_KNOB, "direct"));
        rows("tcp", Map.of());
    }

    private void rows(String method, Map<String, String> knobs)
            throws IOException, InterruptedException {
        TableRow row =
                TableRow.of(method, Pattern.RPC, SMALL_BYTES)
                        .knobs(knobs)
                        .against("call", "forward");
        Findings findings = runs.measure(row, "calls beside RPCs");
        if (findings == null) {
            runs.row(List.of(method, "could not be measured", "", "", "", "", ""));
            return;
        }
        Finding rpc = findings.ours().getFirst();
        Finding call = findings.others().getFirst().getFirst();
        Finding forward = findings.others().getLast().getFirst();
        row(method, "RPC", rpc, "", "");
        row(method, "call of the shipper", call, ratio(call, rpc), "");
        row(method, "call of the plug-in test", forward, ratio(forward, rpc), ratio(forward, call));
    }

    private void row(String method, String what, Finding found, String toRpc, String toCall) {
        List<String> figures = new ArrayList<>();
        for (Distance distance : Distance.values()) {
            Finding some = found.at(distance);
            if (!some.rounds().isEmpty()) {
                figures.add(
                        TableRuns.text(
                                "%s %.2f us [%d]",
                                distance, some.latencyUs(50), some.rounds().size()));
            }
        }
        runs.row(
                List.of(
                        method,
                        what,
                        String.join(", ", figures),
                        toRpc,
                        toCall,
                        TableRuns.text(
                                "%.0f, %.0f",
                                found.clientSharePercent(), found.serverSharePercent()),
                        TableRuns.text("%.1f", found.compilerPercent())));
    }

    private static String ratio(Finding one, Finding other) {
        List<String> parts = new ArrayList<>();
        for (Distance distance : Distance.values()) {
            Findings.Spread ratio = Findings.ratio(one, other, distance);
            if (ratio != null) {
                parts.add(
                        TableRuns.text(
                                "%s %.2f (%.2f to %.2f)",
                                distance, ratio.median(), ratio.min(), ratio.max()));
            }
        }
        return String.join(", ", parts);
    }
}
