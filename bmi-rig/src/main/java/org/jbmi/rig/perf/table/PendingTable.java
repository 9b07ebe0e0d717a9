package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.report.SvgChart;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The cost of pending operations: round trips and test calls with many pending receives and with
 * few, in turns in the same processes.
 */
public final class PendingTable {
    /** The default numbers of pending receives, over all connections. */
    public static final List<Integer> COUNTS = List.of(100, 1000, 10_000, 100_000);

    /** Its name in kept rows. */
    public static final String NAME = "pending";

    private static final int MANY_CONNECTIONS = 1000;
    private static final String P50 = "p50Us";
    private static final String P99 = "p99Us";
    private static final String TEST_CALL = "testCallNs";
    private static final List<Transport> TRANSPORTS = List.of(Transport.TCP, Transport.ZOID_DIRECT);

    private final TableRuns runs;
    private final PerfPlan.Times times;
    private final SvgChart trips = chart("round trip, µs");
    private final SvgChart tests = chart("test call, ns");

    /** Prepares a table. */
    public PendingTable(TableRuns runs, PerfPlan.Times times) {
        this.runs = runs;
        this.times = times;
    }

    /**
     * Prints the rows of all methods, or of one.
     *
     * @param method its name, empty for all methods
     * @param counts of pending receives, the least first; the last one also over 1000 connections
     *     if each has more than 10 then
     * @throws IOException if a process cannot be started
     */
    public String print(String method, List<Integer> counts)
            throws IOException, InterruptedException {
        runs.head(
                "64 B RPC | connections | receives pending on each side, and few"
                        + " | p50 µs, and among few | ratio | p99 µs, and among few"
                        + " | test call ns, and among few | thread share, % | compilers, %");
        for (Transport transport : TRANSPORTS) {
            if (method.isEmpty() || transport.target().equals(method)) {
                rows(transport, counts);
                int most = counts.getLast();
                if (most / MANY_CONNECTIONS > PerfPlan.Peers.FEW) {
                    ofManyConnections(transport, most / MANY_CONNECTIONS);
                }
            }
        }
        return SvgChart.drawAll(List.of(trips, tests));
    }

    private static SvgChart chart(String title) {
        return SvgChart.ofCounts(
                title,
                "RPC of 64 B, one connection, spinning, split",
                "receives pending on each side");
    }

    private void rows(Transport transport, List<Integer> counts)
            throws IOException, InterruptedException {
        SvgChart.Series trip = trips.series(transport.name(), false);
        SvgChart.Series tripAmongFew = trips.series(transport.name() + ", 10 pending", true);
        SvgChart.Series test = tests.series(transport.name(), false);
        SvgChart.Series testAmongFew = tests.series(transport.name() + ", 10 pending", true);
        for (int count : counts) {
            Map<String, String> knobs =
                    transport.withZoid("zbmi.maxClientOperations", 2 * count + 64);
            TableRow row =
                    TableRow.of(transport.target(), Pattern.RPC, TableRow.SMALL_BYTES)
                            .knobs(knobs)
                            .pending(count)
                            .against(PerfPlan.Peers.FEW_PENDING)
                            .lasting(times);
            KeptRow many = runs.measure(row, new KeptRow.Key(NAME, transport.name(), count));
            print(transport, 1, count, many);
            KeptRow few = many == null ? null : many.other();
            if (many != null && few != null) {
                trip.point(count, many.number(P50));
                tripAmongFew.point(count, few.number(P50));
                test.point(count, many.number(TEST_CALL));
                testAmongFew.point(count, few.number(TEST_CALL));
            }
        }
    }

    /** A row with the receives spread over a thousand peers. */
    private void ofManyConnections(Transport transport, int each)
            throws IOException, InterruptedException {
        TableRow row =
                TableRow.of(transport.target(), Pattern.RPC, TableRow.SMALL_BYTES)
                        .waiting(WaitMode.BLOCK, CpuPlacement.FREE)
                        .clients(ClientsTable.clients(MANY_CONNECTIONS))
                        .knobs(transport.withZoid("zbmi.maxClients", MANY_CONNECTIONS))
                        .pending(each)
                        .against(PerfPlan.Peers.FEW_PENDING)
                        .lasting(times);
        int count = MANY_CONNECTIONS * each;
        String name = transport.name() + " of " + MANY_CONNECTIONS + " peers";
        print(
                transport,
                MANY_CONNECTIONS,
                each,
                runs.measure(row, new KeptRow.Key(NAME, name, count)));
    }

    private void print(Transport transport, int connections, int each, @Nullable KeptRow row) {
        KeptRow few = row == null ? null : row.other();
        if (row != null && few != null) {
            runs.row(cells(transport, connections, each, row, few));
        } else if (row != null) {
            runs.failedRow(
                    transport.name(),
                    Integer.toString(connections),
                    Integer.toString(connections * each));
        }
    }

    private static List<String> cells(
            Transport transport, int connections, int each, KeptRow many, KeptRow few) {
        return List.of(
                transport.name(),
                Integer.toString(connections),
                text("%d, %d", connections * each, connections * PerfPlan.Peers.FEW),
                text("%.2f, %.2f", many.number(P50), few.number(P50)),
                many.ratio(),
                text("%.2f, %.2f", many.number(P99), few.number(P99)),
                text("%.0f, %.0f", many.number(TEST_CALL), few.number(TEST_CALL)),
                many.shares(),
                many.compilers());
    }
}
