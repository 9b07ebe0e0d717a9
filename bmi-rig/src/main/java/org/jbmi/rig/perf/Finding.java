package org.jbmi.rig.perf;

import org.jbmi.rig.perf.worker.Pattern;
import org.jbmi.rig.perf.worker.Phase;
import org.jbmi.rig.perf.worker.PhaseResult;

import java.util.List;
import java.util.Map;

/**
 * The result of one side with one size.
 *
 * @param side its name
 * @param setup how it is set up, for people
 * @param phase what the messages did
 * @param result all rounds together
 * @param rounds the result of each turn
 * @param calls the number of each system call per message, over all processes, the most frequent
 *     first; empty if not counted
 * @param threads how many threads take part
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

    /**
     * The rounds with one distance of the processors.
     *
     * @param distance which
     * @return the same with these rounds only, perhaps none
     */
    public Finding at(Distance distance) {
        List<Round> some = rounds.stream().filter(r -> r.distance() == distance).toList();
        return new Finding(side, setup, phase, Round.sum(some), some, calls, threads);
    }

    /**
     * What the messages did.
     *
     * @return the name of their pattern
     */
    public String phasePattern() {
        return phase.pattern().toString();
    }

    /**
     * The size of a message.
     *
     * @return bytes
     */
    public int bytes() {
        return phase.bytes();
    }

    private int messagesPerExchange() {
        return phase.pattern().messagesPerExchange();
    }

    /**
     * Whether at least ten exchanges are above the 99th percentile.
     *
     * @return false if there are too few for a percentile
     */
    public boolean hasP99() {
        return result.latencies().getTotalCount() >= P99_NEEDS;
    }

    /**
     * A percentile of the latencies.
     *
     * @param percentile 0 to 100
     * @return microseconds
     */
    public double latencyUs(double percentile) {
        return latencyUs(result, percentile);
    }

    private static double latencyUs(PhaseResult of, double percentile) {
        return of.latencies().getTotalCount() == 0
                ? 0
                : of.latencies().getValueAtPercentile(percentile) / NS_PER_US;
    }

    /**
     * Finished exchanges per second: round trips, or messages one way.
     *
     * @return a rate
     */
    public double exchangesPerSecond() {
        return exchangesPerSecond(result);
    }

    private static double exchangesPerSecond(PhaseResult of) {
        return of.elapsedNs() == 0 ? 0 : of.exchanges() * NS_PER_SECOND / of.elapsedNs();
    }

    /**
     * Messages per second, both ways.
     *
     * @return a rate
     */
    public double messagesPerSecond() {
        return exchangesPerSecond() * messagesPerExchange();
    }

    /**
     * Payload per second, one way.
     *
     * @return 10^9 bytes a second
     */
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

    /**
     * The heap allocation of both sides per message.
     *
     * @return bytes
     */
    public double allocatedBytesPerMessage() {
        return perMessage((double) allocated(result));
    }

    /**
     * The same in the round with the least allocation, when the JIT compiler has optimized most.
     *
     * @return bytes
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

    /**
     * System calls of all processes per message.
     *
     * @return a number, negative if not counted
     */
    public double callsPerMessage() {
        return calls.isEmpty()
                ? -1
                : calls.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * Copies of payload on the client per message.
     *
     * @return a number
     */
    public double clientCopiesPerMessage() {
        return perMessage((double) result.costs().client().copies());
    }

    /**
     * Copies of payload on the server per message.
     *
     * @return a number
     */
    public double serverCopiesPerMessage() {
        return perMessage((double) result.costs().server().copies());
    }

    /**
     * Processor time of the clients, divided by the elapsed time.
     *
     * @return per cent
     */
    public double clientCpuPercent() {
        return percent((double) result.costs().client().cpuNs());
    }

    /**
     * Processor time of the server, divided by the elapsed time.
     *
     * @return per cent
     */
    public double serverCpuPercent() {
        return percent((double) result.costs().server().cpuNs());
    }

    private double percent(double cpuNs) {
        long elapsedNs = result.elapsedNs();
        return elapsedNs == 0 ? 0 : PERCENT * cpuNs / elapsedNs;
    }

    /**
     * Processor time of the server per message.
     *
     * @return nanoseconds
     */
    public double serverCpuNsPerMessage() {
        return perMessage((double) result.costs().server().cpuNs());
    }

    /**
     * The share of the elapsed time in which the measuring threads had a processor. If threads that
     * spin have less than 100, other programs had the rest.
     *
     * @return per cent of a thread, on average
     */
    public double clientSharePercent() {
        return threads.client == 0
                ? 0
                : percent(result.costs().client().threadNs() / (double) threads.client);
    }

    /**
     * The same share for the answering threads.
     *
     * @return per cent of a thread, on average
     */
    public double serverSharePercent() {
        return threads.server == 0
                ? 0
                : percent(result.costs().server().threadNs() / (double) threads.server);
    }

    /**
     * The working time of the JIT compilers of both sides, divided by the elapsed time.
     *
     * @return per cent; more than 100 where several worked
     */
    public double compilerPercent() {
        return compilerPercent(result);
    }

    /**
     * The same of a result.
     *
     * @param result of some time
     * @return per cent
     */
    static double compilerPercent(PhaseResult result) {
        PhaseResult.Costs costs = result.costs();
        double ns = (costs.client().compilerMs() + costs.server().compilerMs()) * NS_PER_MS;
        return result.elapsedNs() == 0 ? 0 : PERCENT * ns / result.elapsedNs();
    }

    /**
     * The exchanges of the slowest client, divided by those of the median client.
     *
     * @return 0 to 1
     */
    public double fairness() {
        List<Long> sorted = result.flows().stream().sorted().toList();
        if (sorted.isEmpty() || sorted.get(sorted.size() / 2) == 0) {
            return 0;
        }
        return sorted.getFirst() / (double) sorted.get(sorted.size() / 2);
    }

    /**
     * The figures to compare: the median latency if {@link #comparesLatencies}, otherwise 10^9
     * bytes per second one way, so that sides with messages of different sizes can be compared.
     *
     * @return one figure per round
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
     * Whether the figures are latencies, as they are for single round trips and for requests at a
     * fixed rate. If several are under way, each waits for those before it, so the rate is
     * compared.
     *
     * @return false if they are rates
     */
    public boolean comparesLatencies() {
        Pattern pattern = phase.pattern();
        return pattern.isRoundTrip() && (phase.outstanding() == 1 || pattern == Pattern.RATE);
    }

    /**
     * Whether a latency is that of a round trip.
     *
     * @return false for messages one way
     */
    public boolean isRoundTrip() {
        return phase.pattern().isRoundTrip();
    }
}
