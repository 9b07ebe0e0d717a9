package org.jbmi.zoidfs.server.observe;

import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the server counted. For each operation: calls, failures, bytes, and where the time went, as
 * sums: in queues, at the disk, and on the link. Safe for use by any thread.
 */
public final class ServerCounters {
    private static final double NS_PER_SECOND = 1e9;

    /** One operation. */
    private static final class PerOperation {
        final LongAdder calls = new LongAdder();
        final LongAdder failures = new LongAdder();
        final LongAdder bytes = new LongAdder();
        final LongAdder queueNs = new LongAdder();
        final LongAdder diskNs = new LongAdder();
        final LongAdder linkNs = new LongAdder();
    }

    private final List<PerOperation> operations = new ArrayList<>();
    private final PerOperation garbage = new PerOperation();
    private final LongAdder merged = new LongAdder();
    private final LongAdder abandoned = new LongAdder();
    private final LongAdder silent = new LongAdder();

    /** All zero. */
    public ServerCounters() {
        for (int i = 0; i < Operation.values().length; i++) {
            operations.add(new PerOperation());
        }
    }

    private PerOperation of(@Nullable Operation operation) {
        return operation == null ? garbage : operations.get(operation.number());
    }

    /** A request was answered; null for one that could not be understood. */
    public void answered(
            @Nullable Operation operation, int status, long queueNs, long diskNs, long linkNs) {
        PerOperation counters = of(operation);
        counters.calls.increment();
        if (status != Status.OK) {
            counters.failures.increment();
        }
        counters.queueNs.add(queueNs);
        counters.diskNs.add(diskNs);
        counters.linkNs.add(linkNs);
    }

    /** Payload was read or written. */
    public void moved(Operation operation, long bytes) {
        of(operation).bytes.add(bytes);
    }

    /** Pieces were read or written together with another. */
    public void merged(long pieces) {
        merged.add(pieces);
    }

    /** A client went before it was answered. */
    public void abandoned() {
        abandoned.increment();
    }

    /** The server disconnected a client that was silent for too long during a transfer. */
    public void silent() {
        silent.increment();
    }

    /** Calls in whose data their client fell silent, and was let go. */
    public long silentClients() {
        return silent.sum();
    }

    /** Calls of an operation that were answered. */
    public long calls(Operation operation) {
        return of(operation).calls.sum();
    }

    /** Pieces that were read or written together with another, in one system call. */
    public long mergedPieces() {
        return merged.sum();
    }

    /** Requests whose client went before it was answered. */
    public long abandonedCalls() {
        return abandoned.sum();
    }

    /** Requests that could not be understood. */
    public long malformed() {
        return garbage.calls.sum();
    }

    /**
     * All of it in the text format of Prometheus.
     *
     * @param callsUnderWay requests that were taken and are not over
     * @param openFiles files that are open
     * @param replyBytes what replies hold that their clients have not taken
     */
    public String toPrometheus(int callsUnderWay, int openFiles, long replyBytes) {
        StringBuilder text = new StringBuilder();
        for (Operation operation : Operation.values()) {
            add(text, operation.label(), of(operation));
        }
        add(text, "malformed", garbage);
        line(text, "zoidfs_merged_pieces_total", "", merged.sum());
        line(text, "zoidfs_abandoned_calls_total", "", abandoned.sum());
        line(text, "zoidfs_silent_clients_total", "", silent.sum());
        line(text, "zoidfs_calls_under_way", "", callsUnderWay);
        line(text, "zoidfs_open_files", "", openFiles);
        line(text, "zoidfs_reply_bytes", "", replyBytes);
        return text.toString();
    }

    private static void add(StringBuilder text, String label, PerOperation counters) {
        String name = "{operation=\"" + label + "\"}";
        line(text, "zoidfs_calls_total", name, counters.calls.sum());
        line(text, "zoidfs_failures_total", name, counters.failures.sum());
        line(text, "zoidfs_bytes_total", name, counters.bytes.sum());
        seconds(text, "zoidfs_queue_seconds_total", name, counters.queueNs.sum());
        seconds(text, "zoidfs_disk_seconds_total", name, counters.diskNs.sum());
        seconds(text, "zoidfs_link_seconds_total", name, counters.linkNs.sum());
    }

    private static void line(StringBuilder text, String name, String labels, long value) {
        text.append(name).append(labels).append(' ').append(value).append('\n');
    }

    private static void seconds(StringBuilder text, String name, String labels, long ns) {
        text.append(name)
                .append(labels)
                .append(String.format(Locale.ROOT, " %.6f\n", ns / NS_PER_SECOND));
    }
}
