package org.jbmi.tools.perf;

import org.jbmi.tools.perf.worker.PhaseResult;

import java.util.List;

/**
 * What was measured of one side with one size.
 *
 * @param side its name
 * @param phasePattern what the messages did
 * @param bytes size of a message
 * @param messagesPerExchange 2 for round trips
 * @param result all rounds together
 * @param rounds each round
 * @param callsPerMessage system calls of all processes, negative where they were not counted
 */
public record Finding(
        String side,
        String phasePattern,
        int bytes,
        int messagesPerExchange,
        PhaseResult result,
        List<PhaseResult> rounds,
        double callsPerMessage) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

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
     * Finished exchanges in a second: round trips, or messages one way.
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
     * Messages in a second, both ways.
     *
     * @return a rate
     */
    public double messagesPerSecond() {
        return exchangesPerSecond() * messagesPerExchange;
    }

    /**
     * Payload in a second, one way.
     *
     * @return 10^9 bytes a second
     */
    public double gbPerSecond() {
        return exchangesPerSecond() * bytes / NS_PER_SECOND;
    }

    private double perMessage(double amount) {
        long messages = result.exchanges() * messagesPerExchange;
        return messages == 0 ? 0 : amount / messages;
    }

    /**
     * What both sides allocate on their heaps for a message.
     *
     * @return bytes
     */
    public double allocatedBytesPerMessage() {
        PhaseResult.Costs costs = result.costs();
        return perMessage((double) costs.clientAllocatedBytes() + costs.serverAllocatedBytes());
    }

    /**
     * The same in the round that allocated least: what is left when the compiler has done its work.
     *
     * @return bytes
     */
    public double steadyAllocatedBytesPerMessage() {
        double least = allocatedBytesPerMessage();
        for (PhaseResult round : rounds) {
            long messages = round.exchanges() * messagesPerExchange;
            double bytes =
                    (double) round.costs().clientAllocatedBytes()
                            + round.costs().serverAllocatedBytes();
            least = messages == 0 ? least : Math.min(least, bytes / messages);
        }
        return least;
    }

    /**
     * Copies of payload on the client for a message.
     *
     * @return a number
     */
    public double clientCopiesPerMessage() {
        return perMessage((double) result.costs().clientCopies());
    }

    /**
     * Copies of payload on the server for a message.
     *
     * @return a number
     */
    public double serverCopiesPerMessage() {
        return perMessage((double) result.costs().serverCopies());
    }

    /**
     * Processor time of the clients in the time that passed.
     *
     * @return per cent
     */
    public double clientCpuPercent() {
        return percent(result.costs().clientCpuNs());
    }

    /**
     * Processor time of the server in the time that passed.
     *
     * @return per cent
     */
    public double serverCpuPercent() {
        return percent(result.costs().serverCpuNs());
    }

    private double percent(long cpuNs) {
        return result.elapsedNs() == 0 ? 0 : 100.0 * cpuNs / result.elapsedNs();
    }

    /**
     * What is compared: the median latency of each round trip, or the rate of each stream.
     *
     * @return one figure a round
     */
    public List<Double> figures() {
        return rounds.stream()
                .map(round -> isRoundTrip() ? latencyUs(round, 50) : exchangesPerSecond(round))
                .toList();
    }

    /**
     * Whether the figures are latencies.
     *
     * @return false if they are rates
     */
    public boolean isRoundTrip() {
        return messagesPerExchange == 2;
    }
}
