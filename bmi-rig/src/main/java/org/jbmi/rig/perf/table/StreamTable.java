package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.report.SvgChart;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Large messages over tcp, by size: one connection and several, one direction and both, for each
 * way of waiting. All take turns with raw TCP.
 */
public final class StreamTable {
    /** The default sizes of messages, in bytes. */
    public static final List<Integer> SIZES =
            List.of(64 << 10, 128 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20);

    /** The sizes of messages are multiples of it, in bytes. */
    public static final int KIB = 1024;

    /** Its name in kept rows. */
    public static final String NAME = "bytes";

    private static final String RAW_TCP = "raw-tcp";
    private static final String BANDWIDTH = "gbPerSecond";
    private static final String P99 = "p99Us";
    private static final int SEVERAL = 8;
    private static final double US_PER_MS = 1000;
    private static final Phase.Options TOUCH = new Phase.Options(false, true, false, false);

    /** For the buffers of eight connections. */
    private static final Map<String, String> ROOM =
            Map.of("tcp.poolBytes", Long.toString(1L << 30));

    private final TableRuns runs;
    private final PerfPlan.Times times;
    private final SvgChart bandwidths = chart("GB/s");
    private final SvgChart tails = chart("p99 of a message, ms");

    /**
     * Prepares a table.
     *
     * @param times how long each row takes, for each side
     */
    public StreamTable(TableRuns runs, PerfPlan.Times times) {
        this.runs = runs;
        this.times = times;
    }

    /**
     * Prints all rows.
     *
     * @param sizes of messages in bytes, the least first
     * @return a plot of the rows with one connection and one direction, as SVG
     * @throws IOException if a process cannot be started
     */
    public String print(List<Integer> sizes) throws IOException, InterruptedException {
        runs.head(
                "tcp | KiB | GB/s one way | ratio | p50, p99 of a message, ms | the same of raw-tcp"
                        + " | slowest / median | thread share, % | compilers, %");
        for (WaitMode wait : List.of(WaitMode.BLOCK, WaitMode.ADAPTIVE, WaitMode.SPIN)) {
            CpuPlacement cpus = wait == WaitMode.SPIN ? CpuPlacement.SPLIT : CpuPlacement.FREE;
            TableRow stream =
                    TableRow.of("tcp", Pattern.STREAM, KIB)
                            .waiting(wait, cpus)
                            .with(TOUCH)
                            .knobs(ROOM);
            one(wait, stream, sizes);
            if (wait != WaitMode.SPIN) { // several spinning threads would wait for each other
                for (int size : sizes) {
                    row(
                            wait + ", " + SEVERAL + " connections",
                            stream.ofBytes(size)
                                    .clients(new PerfPlan.Clients(1, SEVERAL, 1))
                                    .outstanding(outstanding(size))
                                    .against(RAW_TCP));
                }
            }
            TableRow both =
                    TableRow.of("tcp", Pattern.PINGPONG, KIB).waiting(wait, cpus).knobs(ROOM);
            for (int size : sizes) {
                row(
                        wait + ", both directions",
                        both.ofBytes(size).outstanding(outstanding(size)).against(RAW_TCP));
            }
        }
        return SvgChart.drawAll(List.of(bandwidths, tails));
    }

    private static SvgChart chart(String title) {
        return SvgChart.ofCounts(
                title, "stream, 8 under way, one connection, each line read", "KiB a message");
    }

    /** Eight messages, or fewer if they would not fit into a cache. */
    private static int outstanding(int size) {
        return size > 1 << 20 ? 2 : SEVERAL;
    }

    private void one(WaitMode wait, TableRow stream, List<Integer> sizes)
            throws IOException, InterruptedException {
        SvgChart.Series ours = bandwidths.series("tcp " + wait, false);
        SvgChart.Series theirs = bandwidths.series(RAW_TCP + " " + wait, true);
        SvgChart.Series ourTail = tails.series("tcp " + wait, false);
        SvgChart.Series theirTail = tails.series(RAW_TCP + " " + wait, true);
        for (int size : sizes) {
            KeptRow mine = row(wait + ", 1 connection", stream.ofBytes(size).against(RAW_TCP));
            KeptRow other = mine == null ? null : mine.other();
            if (mine != null && other != null) {
                int kib = size / KIB;
                ours.point(kib, mine.number(BANDWIDTH));
                theirs.point(kib, other.number(BANDWIDTH));
                ourTail.point(kib, mine.number(P99) / US_PER_MS);
                theirTail.point(kib, other.number(P99) / US_PER_MS);
            }
        }
    }

    private @Nullable KeptRow row(String name, TableRow row)
            throws IOException, InterruptedException {
        String size = Integer.toString(row.bytes() / KIB);
        KeptRow ours = runs.measure(row.lasting(times), new KeptRow.Key(NAME, name, row.bytes()));
        if (ours != null && ours.failed()) {
            runs.failedRow(name, size);
        } else if (ours != null) {
            KeptRow other = ours.other();
            runs.row(
                    List.of(
                            name,
                            size,
                            text("%.2f", ours.number(BANDWIDTH)),
                            ours.ratio(),
                            latency(ours),
                            other == null ? "" : latency(other),
                            ours.slowest(),
                            ours.shares(),
                            ours.compilers()));
        }
        return ours;
    }

    private static String latency(KeptRow row) {
        return text("%.2f, %.2f", row.number("p50Us") / US_PER_MS, row.number(P99) / US_PER_MS);
    }
}
