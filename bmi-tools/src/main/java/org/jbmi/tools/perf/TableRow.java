package org.jbmi.tools.perf;

import org.jbmi.tools.perf.worker.Pattern;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.WaitMode;

import java.util.List;
import java.util.Map;

/**
 * A run for the table of targets.
 *
 * @param target method
 * @param pattern of the messages
 * @param bytes size of a message
 * @param outstanding messages under way
 * @param waiting how both sides wait
 * @param cpus where they run
 * @param pending unrelated receives
 * @param options what else is wanted
 * @param clients processes
 * @param versus a baseline, or an empty text
 * @param knobs of our processes
 */
record TableRow(
        String target,
        Pattern pattern,
        int bytes,
        int outstanding,
        WaitMode waiting,
        CpuPlacement cpus,
        int pending,
        Phase.Options options,
        int clients,
        String versus,
        Map<String, String> knobs) {
    static final int SMALL_BYTES = 64;

    /** Round trips, spinning, each side on a processor of its own. */
    static TableRow of(String target, Pattern pattern, int bytes) {
        return new TableRow(
                target,
                pattern,
                bytes,
                pattern.defaultOutstanding(),
                WaitMode.SPIN,
                CpuPlacement.SPLIT,
                0,
                Phase.Options.NONE,
                1,
                "",
                Map.of());
    }

    TableRow against(String baseline) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                waiting,
                cpus,
                pending,
                options,
                clients,
                baseline,
                knobs);
    }

    TableRow waiting(WaitMode mode, CpuPlacement place) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                mode,
                place,
                pending,
                options,
                clients,
                versus,
                knobs);
    }

    TableRow outstanding(int number) {
        return new TableRow(
                target, pattern, bytes, number, waiting, cpus, pending, options, clients, versus,
                knobs);
    }

    TableRow pending(int number) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                waiting,
                cpus,
                number,
                options,
                clients,
                versus,
                knobs);
    }

    TableRow with(Phase.Options wanted) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                waiting,
                cpus,
                pending,
                wanted,
                clients,
                versus,
                knobs);
    }

    TableRow clients(int number) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                waiting,
                cpus,
                pending,
                options,
                number,
                versus,
                knobs);
    }

    TableRow knobs(Map<String, String> set) {
        return new TableRow(
                target,
                pattern,
                bytes,
                outstanding,
                waiting,
                cpus,
                pending,
                options,
                clients,
                versus,
                set);
    }

    /** What is to be measured in so many milliseconds. */
    PerfPlan plan(long millis, int rounds) {
        return new PerfPlan(
                target,
                new Phase(pattern, bytes, outstanding, pending, 0, 0, options),
                List.of(bytes),
                clients,
                1,
                waiting,
                cpus,
                millis,
                rounds,
                versus.isEmpty() ? List.of() : List.of(versus),
                knobs,
                true,
                false,
                null);
    }
}
