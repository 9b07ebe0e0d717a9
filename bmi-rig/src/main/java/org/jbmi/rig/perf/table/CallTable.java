package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.phase.Pattern;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A call of the plug-in "test" beside a call of the shipper beside an RPC, in turns, by method. */
public final class CallTable {
    /** The word for this table, in place of a method's name. */
    public static final String NAME = "calls";

    private static final int SMALL_BYTES = 64;
    private static final int MANY = 64;
    private static final int PULL_BYTES = 16 << 20;
    private static final int PULLS = 2;
    private static final List<Transport> TRANSPORTS =
            List.of(
                    new Transport("loopback", "loopback", Map.of()),
                    Transport.ZOID_DIRECT,
                    Transport.TCP);

    private final TableRuns runs;

    /** Prepares the table. */
    public CallTable(TableRuns runs) {
        this.runs = runs;
    }

    /**
     * Measures and prints.
     *
     * @throws IOException if a process cannot be started
     */
    public void print() throws IOException, InterruptedException {
        runs.head(
                "method | 64 B there and back | p50 | / RPC | / call of the shipper"
                        + " | thread share, % | compilers, %");
        for (Transport transport : TRANSPORTS) {
            rows(transport);
        }
        runs.line("");
        runs.head("method | under way | rate | beside | ratio | shares, % | compilers, %");
        for (Transport transport : TRANSPORTS) {
            TableRow row =
                    TableRow.of(transport.target(), Pattern.RPC, SMALL_BYTES)
                            .knobs(transport.knobs());
            besides(
                    transport,
                    "calls of 64 B, 64",
                    row.outstanding(MANY).against("call"),
                    "RPCs, 64");
            TableRow pull =
                    TableRow.of(transport.target(), Pattern.PULL, PULL_BYTES)
                            .knobs(transport.knobs());
            besides(
                    transport,
                    "pulls of 16 MiB, 2",
                    pull.outstanding(PULLS).against("stream"),
                    "messages of 1 MiB, 8");
        }
    }

    /** A row of rates: what the shipper does, beside the messages that it uses for it. */
    private void besides(Transport transport, String what, TableRow row, String beside)
            throws IOException, InterruptedException {
        Findings findings = runs.measure(row, what + " beside " + beside);
        if (findings == null) {
            runs.row(List.of(transport.name(), what, TableRuns.FAILED, "", "", "", ""));
            return;
        }
        Finding target = findings.ours().getFirst();
        Finding other = findings.others().getFirst().getFirst();
        boolean isPull = row.pattern() == Pattern.PULL;
        Finding shipped = isPull ? target : other;
        Finding messages = isPull ? other : target;
        runs.row(
                List.of(
                        transport.name(),
                        what,
                        rates(shipped, isPull),
                        beside + ": " + rates(messages, isPull),
                        TableRuns.ratio(shipped, messages),
                        TableRuns.text(
                                "%.0f, %.0f; %.0f, %.0f",
                                shipped.clientSharePercent(),
                                shipped.serverSharePercent(),
                                messages.clientSharePercent(),
                                messages.serverSharePercent()),
                        TableRuns.text(
                                "%.1f; %.1f",
                                shipped.compilerPercent(), messages.compilerPercent())));
    }

    private static String rates(Finding found, boolean isPull) {
        return TableRuns.byDistance(
                found,
                some ->
                        isPull
                                ? TableRuns.text("%.2f GB/s", some.gbPerSecond())
                                : TableRuns.text("%.0f a second", some.exchangesPerSecond()));
    }

    private void rows(Transport transport) throws IOException, InterruptedException {
        TableRow row =
                TableRow.of(transport.target(), Pattern.RPC, SMALL_BYTES)
                        .knobs(transport.knobs())
                        .against("call", "forward");
        Findings findings = runs.measure(row, "calls beside RPCs");
        if (findings == null) {
            runs.row(List.of(transport.name(), TableRuns.FAILED, "", "", "", "", ""));
            return;
        }
        Finding rpc = findings.ours().getFirst();
        Finding call = findings.others().getFirst().getFirst();
        Finding forward = findings.others().getLast().getFirst();
        row(transport.name(), "RPC", rpc, "", "");
        row(transport.name(), "call of the shipper", call, TableRuns.ratio(call, rpc), "");
        row(
                transport.name(),
                "call of the plug-in test",
                forward,
                TableRuns.ratio(forward, rpc),
                TableRuns.ratio(forward, call));
    }

    private void row(String method, String what, Finding found, String toRpc, String toCall) {
        runs.row(
                List.of(
                        method,
                        what,
                        TableRuns.byDistance(
                                found,
                                some ->
                                        TableRuns.text(
                                                "%.2f us [%d]",
                                                some.latencyUs(50), some.rounds().size())),
                        toRpc,
                        toCall,
                        found.threads().server() == 0
                                ? TableRuns.text("%.0f, -", found.clientSharePercent())
                                : TableRuns.shares(
                                        found.clientSharePercent(), found.serverSharePercent()),
                        TableRuns.text("%.1f", found.compilerPercent())));
    }
}
