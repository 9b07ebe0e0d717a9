package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.Knobs;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A run for the table of targets. Immutable; its methods return changed copies. */
final class TableRow {
    static final int SMALL_BYTES = 64;

    private static final int AS_NEEDED = 0;
    private static final long MS = 3_000;
    private static final long WARM_UP_MS = 10_000;

    private final String target;
    private final Pattern pattern;
    private int bytes;
    private int outstanding;
    private WaitMode waiting = WaitMode.SPIN;
    private CpuPlacement cpus = CpuPlacement.SPLIT;
    private int pending;
    private Phase.Options options = Phase.Options.NONE;
    private PerfPlan.Clients clients = PerfPlan.Clients.ONE;
    private List<String> versus = List.of();
    private Map<String, String> knobs = Map.of();
    private PerfPlan.Times times = new PerfPlan.Times(WARM_UP_MS, MS, AS_NEEDED);

    private TableRow(String target, Pattern pattern, int bytes) {
        this.target = target;
        this.pattern = pattern;
        this.bytes = bytes;
        this.outstanding = pattern.defaultOutstanding();
    }

    /** Round trips between sides that spin, each on a processor of its own. */
    static TableRow of(String target, Pattern pattern, int bytes) {
        return new TableRow(target, pattern, bytes);
    }

    private TableRow changed(Consumer<TableRow> change) {
        TableRow copy = new TableRow(target, pattern, bytes);
        copy.outstanding = outstanding;
        copy.waiting = waiting;
        copy.cpus = cpus;
        copy.pending = pending;
        copy.options = options;
        copy.clients = clients;
        copy.versus = versus;
        copy.knobs = knobs;
        copy.times = times;
        change.accept(copy);
        return copy;
    }

    TableRow against(String... baselines) {
        return changed(row -> row.versus = List.of(baselines));
    }

    TableRow waiting(WaitMode mode, CpuPlacement place) {
        return changed(
                row -> {
                    row.waiting = mode;
                    row.cpus = place;
                });
    }

    TableRow outstanding(int number) {
        return changed(row -> row.outstanding = number);
    }

    TableRow pending(int number) {
        return changed(row -> row.pending = number);
    }

    TableRow with(Phase.Options wanted) {
        return changed(row -> row.options = wanted);
    }

    TableRow clients(PerfPlan.Clients wanted) {
        return changed(row -> row.clients = wanted);
    }

    TableRow knobs(Map<String, String> set) {
        return changed(row -> row.knobs = set);
    }

    /** Changes the times. */
    TableRow lasting(PerfPlan.Times other) {
        return changed(row -> row.times = other);
    }

    TableRow ofBytes(int size) {
        return changed(row -> row.bytes = size);
    }

    String target() {
        return target;
    }

    int bytes() {
        return bytes;
    }

    Pattern pattern() {
        return pattern;
    }

    /** The plan of the run. */
    PerfPlan plan() {
        return new PerfPlan(
                target,
                new Phase(pattern, bytes, outstanding, pending, 0, 0, options),
                List.of(bytes),
                clients,
                1,
                waiting,
                cpus,
                times,
                new PerfPlan.Peers(versus, List.of()),
                knobs,
                Knobs.zoidHost(knobs),
                false,
                null);
    }
}
