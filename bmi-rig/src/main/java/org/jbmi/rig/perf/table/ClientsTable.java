package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.report.SvgChart;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The cost of many clients: the same messages from one connection and from many, which belong to a
 * few processes. All threads sleep while there is nothing to do.
 */
public final class ClientsTable {
    /** The default numbers of connections. */
    public static final List<Integer> COUNTS = List.of(1, 16, 64, 256, 1000);

    /** Its name in kept rows. */
    public static final String NAME = "clients";

    private static final String CONNECTIONS = "connections";
    private static final String HOW = "64 B, blocking, one server thread";
    private static final int PROCESSES = 4;
    private static final int OUTSTANDING = 8;
    private static final int FEW_CLIENTS = 128;
    private static final String RATE = "messagesPerSecond";
    private static final String THREAD_NS = "serverThreadNsPerMessage";
    private static final double NS_PER_US = 1000;
    private static final double KIB = 1024;
    private static final double KILO = 1000;
    private static final List<Transport> TRANSPORTS =
            List.of(Transport.TCP, Transport.ZOID_DIRECT, Transport.ZOID_DAEMON);
    private static final List<Kind> KINDS =
            List.of(
                    new Kind("RPC", Pattern.RPC, 1, Phase.Options.NONE),
                    new Kind(
                            "unexpected",
                            Pattern.STREAM,
                            OUTSTANDING,
                            new Phase.Options(false, true, true, false)));

    private final TableRuns runs;
    private final PerfPlan.Times times;
    private final SvgChart rates = chart("thousand messages a second");
    private final SvgChart costs = chart("processor time of the server's thread, µs a message");
    private final SvgChart slowest =
            SvgChart.ofShares(
                    "rate of the slowest client, divided by the median", HOW, CONNECTIONS);

    /** A kind of messages. */
    private record Kind(String name, Pattern pattern, int outstanding, Phase.Options options) {}

    /** Prepares a table. */
    public ClientsTable(TableRuns runs, PerfPlan.Times times) {
        this.runs = runs;
        this.times = times;
    }

    /**
     * Prints the rows of all methods, or of one.
     *
     * @param method its name, empty for all methods
     * @param counts of connections, the least first
     * @throws IOException if a process cannot be started
     */
    public String print(String method, List<Integer> counts)
            throws IOException, InterruptedException {
        runs.head(
                "64 B, blocking | connections | messages a second | p50, p99 µs | slowest / median"
                        + " | server's thread, and all of the server, µs a message"
                        + " | cost of the thread, divided by that of the first row"
                        + " | for each connection: heap KiB, other memory KiB, threads"
                        + " | thread share, % | compilers, %");
        for (Transport transport : TRANSPORTS) {
            if (method.isEmpty() || transport.target().equals(method)) {
                for (Kind kind : KINDS) {
                    rows(transport, kind, counts);
                }
            }
        }
        return SvgChart.drawAll(List.of(rates, costs, slowest));
    }

    private static SvgChart chart(String title) {
        return SvgChart.ofCounts(title, HOW, CONNECTIONS);
    }

    private void rows(Transport transport, Kind kind, List<Integer> counts)
            throws IOException, InterruptedException {
        String name = transport.name() + " " + kind.name();
        SvgChart.Series rate = rates.series(name, false);
        SvgChart.Series cost = costs.series(name, false);
        SvgChart.Series least = slowest.series(name, false);
        double first = 0;
        for (int count : counts) {
            KeptRow ours =
                    runs.measure(row(transport, kind, count), new KeptRow.Key(NAME, name, count));
            if (ours != null && ours.failed()) {
                runs.failedRow(name, Integer.toString(count));
            } else if (ours != null) {
                double costUs = ours.number(THREAD_NS) / NS_PER_US;
                first = first == 0 ? costUs : first;
                rate.point(count, ours.number(RATE) / KILO);
                cost.point(count, costUs);
                if (ours.has(KeptRow.SLOWEST)) {
                    least.point(count, ours.number(KeptRow.SLOWEST));
                }
                runs.row(cells(name, count, ours, first == 0 ? 0 : costUs / first));
            }
        }
    }

    private TableRow row(Transport transport, Kind kind, int count) {
        Map<String, String> knobs =
                count > FEW_CLIENTS
                        ? transport.withZoid("zbmi.maxClients", count)
                        : transport.knobs();
        return TableRow.of(transport.target(), kind.pattern, TableRow.SMALL_BYTES)
                .waiting(WaitMode.BLOCK, CpuPlacement.FREE)
                .with(kind.options)
                .outstanding(kind.outstanding)
                .clients(clients(count))
                .knobs(knobs)
                .lasting(times);
    }

    /** A few processes, so that all have the same number of connections. */
    static PerfPlan.Clients clients(int connections) {
        int processes = Math.min(PROCESSES, connections);
        while (connections % processes != 0) {
            processes--;
        }
        return new PerfPlan.Clients(processes, connections / processes, 1);
    }

    private static List<String> cells(String name, int count, KeptRow ours, double growth) {
        return List.of(
                name,
                Integer.toString(count),
                text("%.0f", ours.number(RATE)),
                text("%.0f, %.0f", ours.number("p50Us"), ours.number("p99Us")),
                ours.slowest(),
                text(
                        "%.2f, %.2f",
                        ours.number(THREAD_NS) / NS_PER_US,
                        ours.number("serverCpuNsPerMessage") / NS_PER_US),
                text("%.2f", growth),
                ours.has("serverHeapBytes") ? held(ours, count) : "",
                ours.shares(),
                ours.compilers());
    }

    private static String held(KeptRow ours, int count) {
        return text(
                "%.1f, %.1f, %.3f",
                ours.number("serverHeapBytes") / KIB / count,
                ours.number("serverOutsideBytes") / KIB / count,
                ours.number("serverThreads") / count);
    }
}
