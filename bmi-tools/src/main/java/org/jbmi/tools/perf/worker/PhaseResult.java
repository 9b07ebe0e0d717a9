package org.jbmi.tools.perf.worker;

import org.HdrHistogram.Histogram;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.DataFormatException;

/**
 * What a phase gave.
 *
 * @param latencies of exchanges, in nanoseconds
 * @param exchanges how many were finished
 * @param elapsedNs how long that took
 * @param costs what it cost
 */
public record PhaseResult(Histogram latencies, long exchanges, long elapsedNs, Costs costs) {
    /**
     * What messages cost beside time.
     *
     * @param clientAllocatedBytes by all threads of the clients
     * @param serverAllocatedBytes by all threads of the server
     * @param clientCopies counted by the clients
     * @param serverCopies counted by the server
     * @param clientCpuNs processor time of the clients
     * @param serverCpuNs processor time of the server
     * @param testCallNs what a test call costs that finds nothing
     */
    public record Costs(
            long clientAllocatedBytes,
            long serverAllocatedBytes,
            long clientCopies,
            long serverCopies,
            long clientCpuNs,
            long serverCpuNs,
            double testCallNs) {
        /** Nothing. */
        public static final Costs NONE = new Costs(0, 0, 0, 0, 0, 0, 0);

        /** Of two that ran one after the other. */
        Costs plus(Costs other) {
            return new Costs(
                    clientAllocatedBytes + other.clientAllocatedBytes,
                    serverAllocatedBytes + other.serverAllocatedBytes,
                    clientCopies + other.clientCopies,
                    serverCopies + other.serverCopies,
                    clientCpuNs + other.clientCpuNs,
                    serverCpuNs + other.serverCpuNs,
                    Math.max(testCallNs, other.testCallNs));
        }

        /** Of two clients at the same time: each saw the same server. */
        Costs beside(Costs other) {
            return new Costs(
                    clientAllocatedBytes + other.clientAllocatedBytes,
                    Math.max(serverAllocatedBytes, other.serverAllocatedBytes),
                    clientCopies + other.clientCopies,
                    Math.max(serverCopies, other.serverCopies),
                    clientCpuNs + other.clientCpuNs,
                    Math.max(serverCpuNs, other.serverCpuNs),
                    Math.max(testCallNs, other.testCallNs));
        }
    }

    private static final long MAX_LATENCY_NS = 600_000_000_000L;
    private static final int DIGITS = 3;

    /**
     * Room for latencies. Recording allocates nothing.
     *
     * @return an empty histogram
     */
    public static Histogram newHistogram() {
        return new Histogram(1, MAX_LATENCY_NS, DIGITS);
    }

    /**
     * Nothing yet.
     *
     * @return a result to add to
     */
    public static PhaseResult empty() {
        return new PhaseResult(newHistogram(), 0, 0, Costs.NONE);
    }

    /**
     * Adds a result of another time.
     *
     * @param other came before or after
     * @return both
     */
    public PhaseResult then(PhaseResult other) {
        return new PhaseResult(
                merged(other),
                exchanges + other.exchanges,
                elapsedNs + other.elapsedNs,
                costs.plus(other.costs));
    }

    /**
     * Adds a result of another client at the same time.
     *
     * @param other ran beside
     * @return both
     */
    public PhaseResult with(PhaseResult other) {
        return new PhaseResult(
                merged(other),
                exchanges + other.exchanges,
                Math.max(elapsedNs, other.elapsedNs),
                costs.beside(other.costs));
    }

    /**
     * The same with what a client spent.
     *
     * @param measured latencies
     * @param finished exchanges
     * @param tookNs nanoseconds
     * @param before a reading at the start
     * @param after a reading at the end
     * @return a new value
     */
    public PhaseResult withClient(
            Histogram measured,
            long finished,
            long tookNs,
            Meter.Reading before,
            Meter.Reading after) {
        Meter.Reading spent = after.minus(before);
        Costs own =
                new Costs(
                        spent.allocatedBytes(),
                        costs.serverAllocatedBytes,
                        spent.copies(),
                        costs.serverCopies,
                        spent.cpuNs(),
                        costs.serverCpuNs,
                        costs.testCallNs);
        return new PhaseResult(measured, finished, tookNs, own);
    }

    /** Where both sides are one process, the meters of both have seen the same. */
    PhaseResult inOneProcess() {
        Costs once =
                new Costs(
                        costs.clientAllocatedBytes,
                        0,
                        costs.clientCopies,
                        costs.serverCopies,
                        costs.clientCpuNs,
                        0,
                        costs.testCallNs);
        return new PhaseResult(latencies, exchanges, elapsedNs, once);
    }

    private Histogram merged(PhaseResult other) {
        Histogram both = latencies.copy();
        both.add(other.latencies);
        return both;
    }

    /**
     * As a line of text.
     *
     * @return what {@link #parse} reads
     */
    public String line() {
        ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(buffer);
        byte[] bytes = new byte[length];
        buffer.get(0, bytes);
        return String.format(
                Locale.ROOT,
                "exchanges=%d elapsedNs=%d clientAllocated=%d serverAllocated=%d clientCopies=%d"
                        + " serverCopies=%d clientCpuNs=%d serverCpuNs=%d testCallNs=%.3f"
                        + " latencies=%s",
                exchanges,
                elapsedNs,
                costs.clientAllocatedBytes,
                costs.serverAllocatedBytes,
                costs.clientCopies,
                costs.serverCopies,
                costs.clientCpuNs,
                costs.serverCpuNs,
                costs.testCallNs,
                Base64.getEncoder().encodeToString(bytes));
    }

    /**
     * Reads a line.
     *
     * @param line what {@link #line} gave
     * @return the result
     * @throws IllegalArgumentException if it is anything else
     */
    public static PhaseResult parse(String line) {
        Phase.Words words = Phase.Words.parse(line);
        byte[] bytes = Base64.getDecoder().decode(words.text("latencies"));
        try {
            return new PhaseResult(
                    Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1),
                    words.number("exchanges"),
                    words.number("elapsedNs"),
                    new Costs(
                            words.number("clientAllocated"),
                            words.number("serverAllocated"),
                            words.number("clientCopies"),
                            words.number("serverCopies"),
                            words.number("clientCpuNs"),
                            words.number("serverCpuNs"),
                            Double.parseDouble(words.text("testCallNs"))));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("The latencies of a worker are damaged.", e);
        }
    }
}
