package org.jbmi.rig.perf;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.PhaseResult.Costs;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * A program of the user's that takes turns with the target. It starts both of its sides itself, and
 * talks to the rig in lines of text; docs/howto/measure.md lists them.
 */
final class CommandSide extends Side {
    private static final String READY = "ready";
    private static final String LATENCY = "latency ";
    private static final String RESULT = "result ";
    private static final String COMMENT = "#";
    private static final long START_MS = 60_000;
    private static final long GRACE_MS = 60_000;
    private static final int MAX_LINES = 2_000_000;
    private static final int MAX_NAME = 40;

    private final PerfPlan plan;
    private final String line;
    private final List<Integer> cpus;
    private String setup = "";

    CommandSide(PerfPlan plan, String line, List<Integer> cpus) {
        super(shortened(line));
        this.plan = plan;
        this.line = line;
        this.cpus = cpus;
    }

    /** The name of the program in tables and messages. */
    static String shortened(String line) {
        return line.length() <= MAX_NAME ? line : line.substring(0, MAX_NAME - 3) + "...";
    }

    @Override
    String setup() {
        return setup.isEmpty() ? "it does not say" : setup;
    }

    @Override
    Finding.Threads threads() {
        return new Finding.Threads(0, 0);
    }

    /** A program does not tell it. */
    @Override
    int compiling() {
        return 0;
    }

    @Override
    void open() throws IOException, ToolException, InterruptedException {
        WorkerProcess process = add(WorkerProcess.command(name(), line));
        String said = next(process, START_MS);
        if (!said.equals(READY) && !said.startsWith(READY + " ")) {
            throw process.failure("it said \"" + said + "\" where it says ready.");
        }
        process.noteChildren();
        setup = said.substring(READY.length()).strip();
    }

    /** Whether a line means nothing. */
    static boolean isComment(String said) {
        return said.isBlank() || said.strip().startsWith(COMMENT);
    }

    private static String next(WorkerProcess process, long timeoutMs)
            throws ToolException, InterruptedException {
        String said = process.answer(timeoutMs).strip();
        for (int i = 0; isComment(said); i++) {
            if (i > MAX_LINES) {
                throw process.failure("it only comments.");
            }
            said = process.answer(timeoutMs).strip();
        }
        return said;
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        WorkerProcess process = processes().getFirst();
        process.check();
        process.tell(request(phase));
        Histogram latencies = PhaseResult.newHistogram();
        for (int i = 0; i < MAX_LINES; i++) {
            String said = next(process, phase.millis() + GRACE_MS);
            try {
                if (said.startsWith(RESULT)) {
                    return result(said, latencies);
                }
                latency(said, latencies);
            } catch (RuntimeException e) {
                throw process.failure("it said \"" + said + "\" where a result comes.");
            }
        }
        throw process.failure("it gives more than " + MAX_LINES + " latencies.");
    }

    private String request(Phase phase) {
        return String.format(
                Locale.ROOT,
                "run pattern=%s bytes=%d outstanding=%d rate=%s millis=%d touch=%d unexpected=%d"
                        + " wait=%s client-cpu=%d server-cpu=%d",
                phase.pattern(),
                phase.bytes(),
                phase.outstanding(),
                phase.ratePerSecond(),
                phase.millis(),
                phase.options().touch() ? 1 : 0,
                phase.options().unexpected() ? 1 : 0,
                plan.waiting(),
                plan.cpus().client(cpus),
                plan.cpus().server(cpus));
    }

    private static void latency(String said, Histogram latencies) {
        if (!said.startsWith(LATENCY)) {
            throw new IllegalArgumentException(said);
        }
        String[] words = said.split(" +", -1);
        long ns = Long.parseLong(words[1]);
        long count = words.length > 2 ? Long.parseLong(words[2]) : 1;
        if (ns < 0 || count < 1) {
            throw new IllegalArgumentException(said);
        }
        latencies.recordValueWithCount(Math.max(1, ns), count);
    }

    /** The number in a word {@code name=number} of a line. */
    static long number(String line, String name) {
        for (String word : line.strip().split(" ", -1)) {
            if (word.startsWith(name + "=")) {
                return Long.parseLong(word.substring(name.length() + 1));
            }
        }
        throw new IllegalArgumentException(line);
    }

    /**
     * Without single latencies, all exchanges count with the mean. An exchange takes a nanosecond
     * or more, and has one latency at most.
     */
    private static PhaseResult result(String said, Histogram latencies) {
        long exchanges = number(said, "exchanges");
        long elapsedNs = number(said, "elapsedNs");
        boolean isPossible = exchanges >= 1 && exchanges <= elapsedNs;
        if (!isPossible || latencies.getTotalCount() > exchanges) {
            throw new IllegalArgumentException(said);
        }
        if (latencies.getTotalCount() == 0) {
            latencies.recordValueWithCount(Math.max(1, elapsedNs / exchanges), exchanges);
        }
        return new PhaseResult(latencies, exchanges, elapsedNs, Costs.NONE, List.of(exchanges));
    }
}
