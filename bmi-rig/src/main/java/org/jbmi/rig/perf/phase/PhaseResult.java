package org.jbmi.rig.perf.phase;

import org.HdrHistogram.Histogram;
import org.jbmi.shipper.codec.Shipped;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;

/**
 * The result of a phase.
 *
 * @param latencies of exchanges, in nanoseconds
 * @param flows how many of the exchanges each client thread finished
 */
public record PhaseResult(
        Histogram latencies, long exchanges, long elapsedNs, Costs costs, List<Long> flows) {
    /**
     * The costs of messages, besides time.
     *
     * @param client what the clients spent
     * @param serverBefore what the server had spent when the first message was sent
     * @param serverAfter what it had spent when it had the last one
     * @param testCallNs the least time of a test call that finds nothing; 0 if not measured
     */
    @Shipped
    public record Costs(
            Meter.Reading client,
            Meter.Reading serverBefore,
            Meter.Reading serverAfter,
            double testCallNs) {
        /** Nothing. */
        public static final Costs NONE = of(Meter.Reading.NONE, Meter.Reading.NONE, 0);

        /** Costs with the server's total only. */
        static Costs of(Meter.Reading client, Meter.Reading server, double testCallNs) {
            return new Costs(client, Meter.Reading.NONE, server, testCallNs);
        }

        /** {@return what the server spent between the first message and the last} */
        public Meter.Reading server() {
            return serverAfter.minus(serverBefore);
        }

        /** The sum of two phases that nothing counted twice. */
        Costs plus(Costs other) {
            return of(
                    client.plus(other.client),
                    server().plus(other.server()),
                    best(testCallNs, other.testCallNs));
        }

        /** The least of two times of a test call; 0 says that none was measured. */
        private static double best(double one, double other) {
            return one == 0 || other == 0 ? one + other : Math.min(one, other);
        }

        /**
         * The costs of two flows that ran at the same time. Both asked the same server before any
         * flow sent, and again when the server had received all of theirs. The result counts from
         * the later beginning to the later end.
         */
        Costs beside(Costs other) {
            return new Costs(
                    client.plus(other.client),
                    serverBefore.later(other.serverBefore),
                    serverAfter.later(other.serverAfter),
                    best(testCallNs, other.testCallNs));
        }
    }

    /** The result as a worker sends it, with the compressed histogram. */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Sent(byte[] latencies, long exchanges, long elapsedNs, Costs costs, List<Long> flows) {}

    private static final long MAX_LATENCY_NS = 600_000_000_000L;
    private static final int DIGITS = 3;

    /** {@return an empty histogram for latencies, which allocates nothing when it records} */
    public static Histogram newHistogram() {
        return newHistogram(false);
    }

    /**
     * A histogram for latencies; with many threads, each has a tenth of the memory and of the
     * precision.
     *
     * @param hasManyThreads whether there is one for each of many threads
     * @return an empty one, which allocates nothing when it records
     */
    public static Histogram newHistogram(boolean hasManyThreads) {
        return new Histogram(1, MAX_LATENCY_NS, hasManyThreads ? DIGITS - 1 : DIGITS);
    }

    /** {@return a result without exchanges} */
    public static PhaseResult empty() {
        return new PhaseResult(newHistogram(), 0, 0, Costs.NONE, List.of());
    }

    /**
     * Adds the result of another time.
     *
     * @param other came before or after
     */
    public PhaseResult then(PhaseResult other) {
        return new PhaseResult(
                merged(other),
                exchanges + other.exchanges,
                elapsedNs + other.elapsedNs,
                costs.plus(other.costs),
                sums(flows, other.flows));
    }

    /** Adds the result of another client at the same time. */
    public PhaseResult with(PhaseResult other) {
        return beside(other, costs.beside(other.costs));
    }

    /** Adds the result of another client at the same time, which has a server of its own. */
    public PhaseResult withPair(PhaseResult other) {
        return beside(other, costs.plus(other.costs));
    }

    /** This result and that of a client at the same time, whatever both have cost together. */
    private PhaseResult beside(PhaseResult other, Costs both) {
        return new PhaseResult(
                merged(other),
                exchanges + other.exchanges,
                Math.max(elapsedNs, other.elapsedNs),
                both,
                Stream.concat(flows.stream(), other.flows.stream()).toList());
    }

    private static List<Long> sums(List<Long> these, List<Long> others) {
        List<Long> sums = new ArrayList<>(these.size() < others.size() ? others : these);
        List<Long> fewer = these.size() < others.size() ? these : others;
        for (int i = 0; i < fewer.size(); i++) {
            sums.set(i, sums.get(i) + fewer.get(i));
        }
        return List.copyOf(sums);
    }

    /** The same with the figures of a client. */
    public PhaseResult withClient(
            Histogram measured,
            long finished,
            long tookNs,
            Meter.Reading before,
            Meter.Reading after) {
        Costs own = Costs.of(after.minus(before), costs.server(), costs.testCallNs);
        return new PhaseResult(measured, finished, tookNs, own, List.of(finished));
    }

    /**
     * The same with the costs of the server.
     *
     * @param result of the server, which counts itself as a client
     */
    public PhaseResult besideServer(PhaseResult result) {
        Costs both = Costs.of(costs.client, result.costs.client, costs.testCallNs);
        return new PhaseResult(latencies, exchanges, elapsedNs, both, flows);
    }

    /** {@return the same for two sides in one process, whose meters have counted the same costs} */
    public PhaseResult inOneProcess() {
        Meter.Reading spent = costs.server();
        Meter.Reading there = new Meter.Reading(0, spent.copies(), 0, spent.threadNs(), 0);
        return new PhaseResult(
                latencies,
                exchanges,
                elapsedNs,
                Costs.of(costs.client, there, costs.testCallNs),
                flows);
    }

    private Histogram merged(PhaseResult other) {
        Histogram both = latencies.copy();
        both.add(other.latencies);
        return both;
    }

    /** {@return the result as a line of text, for {@link #parse}} */
    public String line() {
        ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(buffer);
        byte[] bytes = Arrays.copyOf(buffer.array(), length);
        return WorkerLine.of(Sent.class, new Sent(bytes, exchanges, elapsedNs, costs, flows));
    }

    /**
     * Reads a line.
     *
     * @param line what {@link #line} gave
     * @throws RuntimeException if it is anything else
     */
    public static PhaseResult parse(String line) {
        Sent sent = WorkerLine.parse(Sent.class, line);
        try {
            return new PhaseResult(
                    Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(sent.latencies), 1),
                    sent.exchanges,
                    sent.elapsedNs,
                    sent.costs,
                    sent.flows);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("The latencies of a worker are damaged.", e);
        }
    }
}
