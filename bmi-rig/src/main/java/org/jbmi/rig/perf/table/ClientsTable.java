package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Footprint;
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

    private static final int PROCESSES = 4;
    private static final int OUTSTANDING = 8;
    private static final int FEW_CLIENTS = 128;
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
                            new Phase.Options(false, true, true)));

    private final TableRuns runs;
    private final PerfPlan.Times times;
    private final SvgChart costs = chart("server's processor time, µs a message");
    private final SvgChart rates = chart("thousand messages a second");

    /** A kind of messages. */
    private record Kind(String name, Pattern pattern, int outstanding, Phase.Options options) {}

    /**
     * Prepares a table.
     *
     * @param runs make the measurements
     * @param times how long each row takes
     */
    public ClientsTable(TableRuns runs, PerfPlan.Times times) {
        this.runs = runs;
        this.times = times;
    }

    /**
     * Prints the rows of all methods, or of one.
     *
     * @param method its name, empty for all methods
     * @param counts of connections, the least first
     * @return a plot as SVG
     * @throws IOException if a process cannot be started
     * @throws InterruptedException if the thread is interrupted
     */
    public String print(String method, List<Integer> counts)
            throws IOException, InterruptedException {
        runs.head(
                List.of(
                        "64 B, blocking",
                        "connections",
                        "messages a second",
                        "p50, p99 µs",
                        "slowest / median",
                        "server, µs a message",
                        "x of the first",
                        "server: heap, outside KiB, threads for each",
                        "thread share, %",
                        "compilers, %"));
        for (Transport transport : TRANSPORTS) {
            if (method.isEmpty() || transport.target().equals(method)) {
                for (Kind kind : KINDS) {
                    rows(transport, kind, counts);
                }
            }
        }
        return SvgChart.drawAll(List.of(costs, rates));
    }

    private static SvgChart chart(String title) {
        return SvgChart.ofCounts(title, "64 B, blocking, one server thread", "connections");
    }

    private void rows(Transport transport, Kind kind, List<Integer> counts)
            throws IOException, InterruptedException {
        String name = transport.name() + " " + kind.name();
        SvgChart.Series cost = costs.series(name, false);
        SvgChart.Series rate = rates.series(name, false);
        double first = 0;
        for (int count : counts) {
            Findings findings = runs.measure(row(transport, kind, count), name + " of " + count);
            if (findings == null) {
                runs.row(List.of(name, Integer.toString(count), "could not be measured"));
            } else {
                Finding ours = findings.ours().getFirst();
                double costUs = ours.serverCpuNsPerMessage() / NS_PER_US;
                first = first == 0 ? costUs : first;
                cost.point(count, costUs);
                rate.point(count, ours.messagesPerSecond() / KILO);
                runs.row(cells(name, count, findings, first == 0 ? 0 : costUs / first));
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

    private static List<String> cells(String name, int count, Findings findings, double growth) {
        Finding ours = findings.ours().getFirst();
        Findings.Held held = findings.held();
        return List.of(
                name,
                Integer.toString(count),
                text("%.0f", ours.messagesPerSecond()),
                text("%.0f, %.0f", ours.latencyUs(50), ours.latencyUs(99)),
                count == 1 ? "" : text("%.2f", ours.fairness()),
                text("%.2f", ours.serverCpuNsPerMessage() / NS_PER_US),
                text("%.2f", growth),
                held == null ? "" : held(held.server(), count),
                TableRuns.shares(findings),
                text("%.1f", ours.compilerPercent()));
    }

    private static String held(Footprint server, int count) {
        return text(
                "%.1f, %.1f, %.3f",
                server.heapBytes() / KIB / count,
                server.outsideBytes() / KIB / count,
                server.threads() / (double) count);
    }
}
