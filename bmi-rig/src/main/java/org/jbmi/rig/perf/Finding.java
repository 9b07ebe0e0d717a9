package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;

import java.util.List;
import java.util.Map;

/**
 * The result of one side with one size.
 *
 * @param side its name
 * @param setup how it is set up, for people
 * @param result all rounds together
 * @param calls the number of each system call per message, over all processes, the most frequent
 *     first; empty if not counted
 */
public record Finding(
        String side,
        String setup,
        Phase phase,
        PhaseResult result,
        List<Round> rounds,
        Map<String, Double> calls,
        Threads threads) {
    /**
     * How many threads take part; 0 if unknown.
     *
     * @param client threads that measure
     * @param server threads that answer
     */
    public record Threads(int client, int server) {}

    private static final int P99_NEEDS = 1000;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_SECOND = 1e9;
    private static final double PERCENT = 100;

    /** {@return this finding with the rounds of one distance only, perhaps none} */
    public Finding at(Distance distance) {
        List<Round> some = rounds.stream().filter(r -> r.distance() == distance).toList();
        return new Finding(side, setup, phase, Round.sum(some), some, calls, threads);
    }

    /** {@return the name of the messages' pattern} */
    public String phasePattern() {
        return phase.pattern().toString();
    }

    /** {@return the size of a message, in bytes} */
    public int bytes() {
        return phase.bytes();
    }

    private int messagesPerExchange() {
        return phase.pattern().messagesPerExchange();
    }

    /**
     * {@return whether at least ten exchanges are above the 99th percentile; with fewer it says
     * little}
     */
    public boolean hasP99() {
        return result.latencies().getTotalCount() >= P99_NEEDS;
    }

    /**
     * A percentile of the latencies.
     *
     * @param percentile 0 to 100
     */
    public double latencyUs(double percentile) {
        return latencyUs(result, percentile);
    }

    /**
     * A percentile of the latencies of one turn.
     *
     * @param percentile 0 to 100
     */
    public static double latencyUs(PhaseResult of, double percentile) {
        return of.latencies().getTotalCount() == 0
                ? 0
                : of.latencies().getValueAtPercentile(percentile) / NS_PER_US;
    }

    /** {@return finished exchanges per second: round trips, or messages one way} */
    public double exchangesPerSecond() {
        return exchangesPerSecond(result);
    }

    private static double exchangesPerSecond(PhaseResult of) {
        return of.elapsedNs() == 0 ? 0 : of.exchanges() * NS_PER_SECOND / of.elapsedNs();
    }

    /** {@return messages per second, both ways} */
    public double messagesPerSecond() {
        return exchangesPerSecond() * messagesPerExchange();
    }

    /** {@return payload per second, one way, in 10^9 bytes} */
    public double gbPerSecond() {
        return gbPerSecond(result);
    }

    private double gbPerSecond(PhaseResult of) {
        return exchangesPerSecond(of) * bytes() / NS_PER_SECOND;
    }

    private static long allocated(PhaseResult of) {
        return of.costs().client().allocatedBytes() + of.costs().server().allocatedBytes();
    }

    private double perMessage(double amount) {
        long messages = result.exchanges() * messagesPerExchange();
        return messages == 0 ? 0 : amount / messages;
    }

    /** {@return the heap allocation of both sides per message, in bytes} */
    public double allocatedBytesPerMessage() {
        return perMessage((double) allocated(result));
    }

    /**
     * {@return the same in the round with the least allocation, when the JIT compiler has optimized
     * most}
     */
    public double steadyAllocatedBytesPerMessage() {
        double least = allocatedBytesPerMessage();
        for (Round round : rounds) {
            long messages = round.result().exchanges() * messagesPerExchange();
            double bytes = allocated(round.result());
            least = messages == 0 ? least : Math.min(least, bytes / messages);
        }
        return least;
    }

    /** {@return system calls of all processes per message; negative if not counted} */
    public double callsPerMessage() {
        return calls.isEmpty()
                ? -1
                : calls.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** {@return copies of payload on the client per message} */
    public double clientCopiesPerMessage() {
        return perMessage((double) result.costs().client().copies());
    }

    /** {@return copies of payload on the server per message} */
    public double serverCopiesPerMessage() {
        return perMessage((double) result.costs().server().copies());
    }

    /** {@return processor time of the clients, divided by the elapsed time, in per cent} */
    public double clientCpuPercent() {
        return percent((double) result.costs().client().cpuNs());
    }

    /** {@return processor time of the server, divided by the elapsed time, in per cent} */
    public double serverCpuPercent() {
        return percent((double) result.costs().server().cpuNs());
    }

    private double percent(double cpuNs) {
        long elapsedNs = result.elapsedNs();
        return elapsedNs == 0 ? 0 : PERCENT * cpuNs / elapsedNs;
    }

    /** {@return processor time of the server per message, in nanoseconds} */
    public double serverCpuNsPerMessage() {
        return perMessage((double) result.costs().server().cpuNs());
    }

    /**
     * {@return processor time of the answering threads per message, in nanoseconds. It is without
     * the JIT compilers, whose work no message causes, and without other threads of the server}
     */
    public double serverThreadNsPerMessage() {
        return perMessage((double) result.costs().server().threadNs());
    }

    /**
     * {@return the share of the elapsed time in which the measuring threads had a processor, in per
     * cent of a thread. If threads that spin have less than 100, other programs had the rest}
     */
    public double clientSharePercent() {
        return threads.client == 0
                ? 0
                : percent(result.costs().client().threadNs() / (double) threads.client);
    }

    /** {@return the same share for the answering threads} */
    public double serverSharePercent() {
        return threads.server == 0
                ? 0
                : percent(result.costs().server().threadNs() / (double) threads.server);
    }

    /**
     * {@return the working time of the JIT compilers of both sides, divided by the elapsed time, in
     * per cent; several compilers may have more than 100}
     */
    public double compilerPercent() {
        return compilerPercent(result);
    }

    /** The same of a result. */
    static double compilerPercent(PhaseResult result) {
        PhaseResult.Costs costs = result.costs();
        double ns = (costs.client().compilerMs() + costs.server().compilerMs()) * NS_PER_MS;
        return result.elapsedNs() == 0 ? 0 : PERCENT * ns / result.elapsedNs();
    }

    /**
     * {@return the exchanges of the slowest client, divided by those of the median client: 0 to 1}
     */
    public double fairness() {
        if (result.flows().isEmpty()) {
            return 0;
        }
        Findings.Spread spread =
                Findings.Spread.of(result.flows().stream().map(Long::doubleValue).toList());
        return spread.median() == 0 ? 0 : spread.min() / spread.median();
    }

    /**
     * {@return the figures to compare, one per round: the median latency if {@link
     * #comparesLatencies}, otherwise 10^9 bytes per second one way. So sides with messages of
     * different sizes can be compared}
     */
    public List<Double> figures() {
        return rounds.stream()
                .map(
                        round ->
                                comparesLatencies()
                                        ? latencyUs(round.result(), 50)
                                        : gbPerSecond(round.result()))
                .toList();
    }

    /**
     * {@return whether the figures are latencies, as for single round trips and for requests at a
     * fixed rate. If several are under way, each waits for those before it, so the figures are
     * rates}
     */
    public boolean comparesLatencies() {
        Pattern pattern = phase.pattern();
        return pattern.isRoundTrip() && (phase.outstanding() == 1 || pattern == Pattern.RATE);
    }

    /** {@return whether a latency is that of a round trip, and not of a message one way} */
    public boolean isRoundTrip() {
        return phase.pattern().isRoundTrip();
    }
}
