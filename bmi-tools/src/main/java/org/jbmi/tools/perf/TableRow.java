package org.jbmi.tools.perf;

import org.jbmi.tools.perf.worker.Pattern;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.WaitMode;

import java.util.List;
import java.util.Map;

/** A run for the table of targets. It does not change: what would change it returns another. */
final class TableRow {
    static final int SMALL_BYTES = 64;

    private static final int ROUNDS = 5;
    private static final long ROUND_MS = 1_000;
    private static final long WARM_UP_MS = 3_000;

    private final String target;
    private final Pattern pattern;
    private final int bytes;
    private int outstanding;
    private WaitMode waiting = WaitMode.SPIN;
    private CpuPlacement cpus = CpuPlacement.SPLIT;
    private int pending;
    private Phase.Options options = Phase.Options.NONE;
    private int clients = 1;
    private List<String> versus = List.of();
    private Map<String, String> knobs = Map.of();
    private int rounds = ROUNDS;
    private long roundMs = ROUND_MS;
    private long warmUpMs = WARM_UP_MS;

    private TableRow(String target, Pattern pattern, int bytes) {
        this.target = target;
        this.pattern = pattern;
        this.bytes = bytes;
        this.outstanding = pattern.defaultOutstanding();
    }

    /** Round trips, spinning, each side on a processor of its own. */
    static TableRow of(String target, Pattern pattern, int bytes) {
        return new TableRow(target, pattern, bytes);
    }

    private TableRow copy() {
        TableRow copy = new TableRow(target, pattern, bytes);
        copy.outstanding = outstanding;
        copy.waiting = waiting;
        copy.cpus = cpus;
        copy.pending = pending;
        copy.options = options;
        copy.clients = clients;
        copy.versus = versus;
        copy.knobs = knobs;
        copy.rounds = rounds;
        copy.roundMs = roundMs;
        copy.warmUpMs = warmUpMs;
        return copy;
    }

    TableRow against(String baseline) {
        TableRow row = copy();
        row.versus = List.of(baseline);
        return row;
    }

    TableRow waiting(WaitMode mode, CpuPlacement place) {
        TableRow row = copy();
        row.waiting = mode;
        row.cpus = place;
        return row;
    }

    TableRow outstanding(int number) {
        TableRow row = copy();
        row.outstanding = number;
        return row;
    }

    TableRow pending(int number) {
        TableRow row = copy();
        row.pending = number;
        return row;
    }

    TableRow with(Phase.Options wanted) {
        TableRow row = copy();
        row.options = wanted;
        return row;
    }

    TableRow clients(int number) {
        TableRow row = copy();
        row.clients = number;
        return row;
    }

    TableRow knobs(Map<String, String> set) {
        TableRow row = copy();
        row.knobs = set;
        return row;
    }

    /** Another time than some seconds for rounds that follow a short warm-up. */
    TableRow lasting(long firstMs, int number, long eachMs) {
        TableRow row = copy();
        row.warmUpMs = firstMs;
        row.rounds = number;
        row.roundMs = eachMs;
        return row;
    }

    String target() {
        return target;
    }

    Pattern pattern() {
        return pattern;
    }

    /** What is to be measured. */
    PerfPlan plan() {
        return new PerfPlan(
                target,
                new Phase(pattern, bytes, outstanding, pending, 0, 0, options),
                List.of(bytes),
                clients,
                1,
                waiting,
                cpus,
                warmUpMs,
                rounds * roundMs,
                rounds,
                versus,
                knobs,
                true,
                false,
                null);
    }
}
