package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRow.SMALL_BYTES;
import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.baseline.Baseline;
import org.jbmi.rig.perf.baseline.MemoryCopy;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The table of targets in Markdown, with every row that can be measured on this machine. */
public final class PerfTable {
    private static final int PAGE_BYTES = 4096;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int MANY = 10_000;
    private static final int SOME = 64;
    private static final long IDLE_MS = 10_000;
    private static final int CLIENT_PROCESSES = 4;
    private static final double MEGA = 1e6;
    private static final double NS_PER_US = 1000;
    private static final double US_PER_MS = 1000;
    private static final String TCP = "tcp";
    private static final String ZOID = "zoid";
    private static final String LOOPBACK = "loopback";
    private static final String RAW_TCP = "raw-tcp";
    private static final String RAW_SHM = "raw-shm";
    private static final String AERON = "aeron";
    private static final Phase.Options UNEXPECTED = new Phase.Options(false, true, true, false);
    private static final Phase.Options TOUCH = new Phase.Options(false, true, false, false);

    private final TableRuns runs;

    /** In bytes a message; negative while no row has been measured. */
    private double mostAllocated = -1;

    /** The cells for our figure and for the ratio. */
    private record Cells(String ours, String ratio) {}

    /** Prepares a table. */
    public PerfTable(TableRuns runs) {
        this.runs = runs;
    }

    /**
     * Prints all rows, or those of one method.
     *
     * @param method its name, empty for all methods
     * @throws IOException if a process cannot be started
     */
    public void print(String method) throws IOException, InterruptedException {
        runs.head("method | measure | target | ours | ratio | thread share, % | compilers, %");
        if (isWanted(method, TCP)) {
            tcp();
        }
        if (isWanted(method, ZOID)) {
            zoid();
        }
        if (isWanted(method, LOOPBACK)) {
            loopback();
        }
        for (String waiter : List.of(TCP, ZOID)) {
            if (isWanted(method, waiter)) {
                idle(waiter);
            }
        }
        line(
                "all",
                "allocation, the most of all rows above",
                "0",
                mostAllocated < 0 ? TableRuns.FAILED : text("%.2f B", mostAllocated));
    }

    private static boolean isWanted(String method, String rows) {
        return method.isEmpty() || method.equals(rows);
    }

    private void tcp() throws IOException, InterruptedException {
        TableRow small = TableRow.of(TCP, Pattern.PINGPONG, SMALL_BYTES).against(RAW_TCP);
        TableRow rpc = TableRow.of(TCP, Pattern.RPC, SMALL_BYTES).against(RAW_TCP);
        row("64 B ping-pong, spinning", "<= 1.15 x raw TCP", small, PerfTable::latency);
        row("64 B RPC, spinning", "<= 1.15 x raw TCP", rpc, PerfTable::latency);
        row(
                "4 KiB RPC, spinning",
                "<= 0.72 x C BMI",
                TableRow.of(TCP, Pattern.RPC, PAGE_BYTES).against(RAW_TCP),
                PerfTable::latency);
        row(
                "64 B ping-pong, blocking, one cpu",
                "<= 1.0 x raw TCP; <= 0.85 x C BMI",
                small.waiting(WaitMode.BLOCK, CpuPlacement.SAME),
                PerfTable::latency);
        TableRow bulk = TableRow.of(TCP, Pattern.STREAM, LARGE_BYTES).with(TOUCH).against(RAW_TCP);
        for (WaitMode mode : List.of(WaitMode.SPIN, WaitMode.BLOCK)) {
            row(
                    "stream 1 MiB, 8 outstanding, " + mode,
                    ">= 1.0 x raw TCP, p99 of a message < 1 ms",
                    bulk.waiting(mode, CpuPlacement.SPLIT),
                    PerfTable::bandwidth);
        }
        row(
                "64 B unexpected messages, one connection",
                ">= 5 x C BMI",
                TableRow.of(TCP, Pattern.STREAM, SMALL_BYTES).with(UNEXPECTED).outstanding(SOME),
                PerfTable::rate);
        row(
                "64 clients in 4 processes, RPC",
                ">= 1.3 x C BMI",
                TableRow.of(TCP, Pattern.RPC, SMALL_BYTES)
                        .waiting(WaitMode.ADAPTIVE, CpuPlacement.FREE)
                        .clients(
                                new PerfPlan.Clients(CLIENT_PROCESSES, SOME / CLIENT_PROCESSES, 1)),
                PerfTable::exchanges);
        pending(TCP, Map.of());
    }

    private void zoid() throws IOException, InterruptedException {
        Map<String, String> direct = Map.of(PerfPlan.HOST_KNOB, "direct");
        Map<String, String> daemon = Map.of(PerfPlan.HOST_KNOB, "daemon");
        String other = hasAeron() ? AERON : RAW_SHM;
        TableRow rpc = TableRow.of(ZOID, Pattern.RPC, SMALL_BYTES).knobs(direct);
        TableRow page = TableRow.of(ZOID, Pattern.RPC, PAGE_BYTES).knobs(direct);
        row("direct, 64 B RPC", "<= 2.0 x Aeron", rpc.against(other), PerfTable::latency);
        row("direct, 4 KiB RPC", "<= 1.3 x Aeron", page.against(other), PerfTable::latency);
        row(
                "direct, 64 B messages",
                ">= 20 M/s near, 7 far",
                TableRow.of(ZOID, Pattern.STREAM, SMALL_BYTES)
                        .knobs(direct)
                        .with(UNEXPECTED)
                        .outstanding(SOME),
                PerfTable::rate);
        TableRow bulk =
                TableRow.of(ZOID, Pattern.STREAM, LARGE_BYTES)
                        .knobs(direct)
                        .with(TOUCH)
                        .against(MemoryCopy.NAME, RAW_SHM);
        row("direct, bulk 1 MiB, 8 outstanding", ">= 0.7 x memcpy", bulk, PerfTable::bandwidth);
        row(
                "direct, bulk 1 MiB, 1 outstanding",
                ">= 0.5 x memcpy",
                bulk.outstanding(1),
                PerfTable::bandwidth);
        pending(ZOID, direct);
        TableRow relay = TableRow.of(ZOID, Pattern.RPC, SMALL_BYTES).knobs(daemon);
        row(
                "daemon, 64 B RPC, yielding",
                "<= 1.5 x C relay",
                relay.waiting(WaitMode.YIELD, CpuPlacement.FREE),
                PerfTable::latency);
        row(
                "daemon, 64 B RPC, blocking",
                "<= 1.5 x C relay",
                relay.waiting(WaitMode.BLOCK, CpuPlacement.FREE),
                PerfTable::latency);
        row(
                "daemon, bulk 1 MiB, 8 outstanding, copies on the server",
                "0",
                TableRow.of(ZOID, Pattern.STREAM, LARGE_BYTES)
                        .knobs(daemon)
                        .waiting(WaitMode.ADAPTIVE, CpuPlacement.FREE),
                PerfTable::serverCopies);
    }

    private void loopback() throws IOException, InterruptedException {
        row(
                "64 B, both posts and both tests, one thread",
                "<= 100 ns",
                TableRow.of(LOOPBACK, Pattern.LOCAL, SMALL_BYTES),
                PerfTable::nanos);
    }

    private void idle(String method) throws IOException, InterruptedException {
        row(
                "processor time of an idle waiter, client and server",
                "< 1 %",
                TableRow.of(method, Pattern.IDLE, SMALL_BYTES)
                        .waiting(WaitMode.ADAPTIVE, CpuPlacement.FREE)
                        .lasting(new PerfPlan.Times(IDLE_MS, IDLE_MS, 1)),
                PerfTable::idle);
    }

    /** Round trips and test calls with many pending operations and with few, in turns. */
    private void pending(String method, Map<String, String> knobs)
            throws IOException, InterruptedException {
        TableRow row =
                TableRow.of(method, Pattern.RPC, SMALL_BYTES)
                        .knobs(knobs)
                        .pending(MANY)
                        .against(PerfPlan.Peers.FEW_PENDING);
        Findings findings = measure(row, "10 000 pending");
        if (findings != null) {
            Finding many = findings.ours().getFirst();
            Finding few = findings.others().getFirst().getFirst();
            line(
                    method,
                    "64 B RPC with 10 000 pending / 10",
                    "<= 1.05",
                    text("%.2f / %.2f us", many.latencyUs(50), few.latencyUs(50)),
                    TableRuns.ratio(findings),
                    findings);
            double manyNs = many.result().costs().testCallNs();
            double fewNs = few.result().costs().testCallNs();
            line(
                    method,
                    "test call with 10 000 pending / 10",
                    "<= 1.1",
                    text("%.0f / %.0f ns", manyNs, fewNs),
                    text("%.2f", manyNs / fewNs),
                    findings);
        }
    }

    private static boolean hasAeron() {
        return Baseline.all().stream().map(Baseline::name).anyMatch(AERON::equals);
    }

    private void row(String measure, String target, TableRow row, Function<Findings, Cells> cells)
            throws IOException, InterruptedException {
        Findings findings = measure(row, measure);
        if (findings == null) {
            line(row.target(), measure, target, TableRuns.FAILED);
        } else {
            Cells found = cells.apply(findings);
            line(row.target(), measure, target, found.ours, found.ratio, findings);
        }
    }

    private @Nullable Findings measure(TableRow row, String what)
            throws IOException, InterruptedException {
        Findings findings = runs.measure(row, what);
        if (findings != null && row.pattern() != Pattern.IDLE) {
            double bytes = findings.ours().getFirst().steadyAllocatedBytesPerMessage();
            mostAllocated = Math.max(mostAllocated, bytes);
        }
        return findings;
    }

    private void line(String method, String measure, String target, String ours) {
        runs.row(List.of(method, measure, target, ours, "", "", ""));
    }

    private void line(
            String method,
            String measure,
            String target,
            String ours,
            String ratio,
            Findings findings) {
        runs.row(
                List.of(
                        method,
                        measure,
                        target,
                        ours,
                        ratio,
                        TableRuns.shares(findings),
                        text("%.1f", findings.ours().getFirst().compilerPercent())));
    }

    /** Our figures, by the distance of the processors. */
    private static Cells cells(Findings findings, Function<Finding, String> figure) {
        return new Cells(
                TableRuns.byDistance(
                        findings.ours().getFirst(),
                        some -> figure.apply(some) + " [" + some.rounds().size() + "]"),
                TableRuns.ratio(findings));
    }

    private static Cells latency(Findings findings) {
        return cells(findings, some -> text("%.2f us", some.latencyUs(50)));
    }

    private static Cells bandwidth(Findings findings) {
        return cells(
                findings,
                some ->
                        text("%.2f GB/s", some.gbPerSecond())
                                + (some.hasP99()
                                        ? text(", p99 %.2f ms", some.latencyUs(99) / US_PER_MS)
                                        : ""));
    }

    private static Cells rate(Findings findings) {
        return cells(findings, some -> text("%.3f M/s", some.messagesPerSecond() / MEGA));
    }

    private static Cells exchanges(Findings findings) {
        double fairness = findings.ours().getFirst().fairness();
        return cells(
                findings,
                some ->
                        text(
                                "%.0f rpc/s, slowest / median %.2f",
                                some.exchangesPerSecond(), fairness));
    }

    private static Cells serverCopies(Findings findings) {
        Finding ours = findings.ours().getFirst();
        return new Cells(
                text("%.3f (%.2f GB/s)", ours.serverCopiesPerMessage(), ours.gbPerSecond()),
                TableRuns.ratio(findings));
    }

    private static Cells nanos(Findings findings) {
        return new Cells(text("%.0f ns", findings.ours().getFirst().latencyUs(50) * NS_PER_US), "");
    }

    private static Cells idle(Findings findings) {
        Finding ours = findings.ours().getFirst();
        return new Cells(
                text("%.2f %%, %.2f %%", ours.clientCpuPercent(), ours.serverCpuPercent()),
                String.join(" ", findings.remarks()));
    }
}
