package org.jbmi.rig.perf.report;

import org.jbmi.rig.perf.Distance;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.Findings.Spread;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Footprint;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.tools.text.TextTable;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** A run as text. */
public final class TextReport {
    private static final double MEGA = 1e6;
    private static final double KIB = 1024;
    private static final double RARE = 0.01;

    private TextReport() {}

    /** Writes a run. */
    public static List<String> of(Findings findings) {
        PerfPlan plan = findings.plan();
        List<String> lines = new ArrayList<>();
        lines.add(
                "%s, %s, %d outstanding, wait %s, cpus %s, %d pending%s%s"
                        .formatted(
                                plan.target(),
                                plan.phase().pattern(),
                                plan.phase().outstanding(),
                                plan.waiting(),
                                plan.cpus(),
                                plan.phase().pending(),
                                plan.phase().options().verify() ? ", every byte checked" : "",
                                plan.phase().pattern() != Pattern.STREAM
                                        ? ""
                                        : plan.phase().options().touch()
                                                ? ", each line read where it lies"
                                                : ", not read by the receiver"));
        lines.addAll(setups(findings));
        lines.add("");
        lines.addAll(times(findings));
        lines.add("");
        lines.addAll(states(findings));
        lines.add("");
        lines.addAll(costs(findings));
        lines.addAll(calls(findings));
        if (findings.held() != null) {
            lines.add("");
            lines.addAll(held(findings, findings.held()));
        }
        if (!findings.others().isEmpty()) {
            lines.add("");
            lines.addAll(ratios(findings));
        }
        lines.add("");
        lines.add(
                text(
                        "Cache line there and back: %.3f us before, %.3f us after.%s%s",
                        findings.calibrationBeforeUs(),
                        findings.calibrationAfterUs(),
                        slowdown(findings.slowdown()),
                        load(findings.load())));
        lines.addAll(findings.remarks());
        return lines;
    }

    /** A single processor has no other beside it. */
    private static String slowdown(double slowdown) {
        return slowdown == 0
                ? ""
                : text(
                        " If two processors calculate at once, each takes %.2f times as long.",
                        slowdown);
    }

    /** A system may not tell its load. */
    private static String load(double load) {
        return load < 0 ? "" : text(" Load of the machine before: %.2f.", load);
    }

    private static List<String> setups(Findings findings) {
        List<String> lines = new ArrayList<>();
        lines.add("  " + setup(findings.ours().getFirst()));
        findings.others().forEach(other -> lines.add("  " + setup(other.getFirst())));
        return lines;
    }

    private static String setup(Finding finding) {
        return finding.side() + ": " + finding.setup();
    }

    /**
     * The figures by the distance of the processors, with what a reader must know to trust them.
     */
    private static List<String> states(Findings findings) {
        TextTable table =
                table(
                        "lrlrrrrrrrr",
                        "processors | bytes | were | rounds | p50 us | p99 | M/s | GB/s"
                                + " | thread share: client | server | compilers");
        for (Finding finding : all(findings)) {
            for (Distance distance : Distance.values()) {
                Finding some = finding.at(distance);
                if (!some.rounds().isEmpty()) {
                    table.row(
                            some.side(),
                            Integer.toString(some.bytes()),
                            distance.toString(),
                            Integer.toString(some.rounds().size()),
                            us(some, 50),
                            some.hasP99() ? us(some, 99) : "-",
                            text("%.4f", some.messagesPerSecond() / MEGA),
                            text("%.3f", some.gbPerSecond()),
                            share(some.threads().client(), some.clientSharePercent()),
                            share(some.threads().server(), some.serverSharePercent()),
                            text("%.1f %%", some.compilerPercent()));
                }
            }
        }
        return table.lines();
    }

    private static String share(int threads, double percent) {
        return threads == 0 ? "-" : text("%.0f %%", percent);
    }

    private static List<String> held(Findings findings, Findings.Held held) {
        Finding ours = findings.ours().getLast();
        TextTable table = table("lrrr", "each connection | heap | outside the heap | threads");
        int count = held.connections();
        row(table, "server", held.server(), count);
        row(table, "client", held.clients(), count);
        List<String> lines = new ArrayList<>(table.lines());
        lines.add(
                text(
                        "The slowest of %d client threads had %.2f of what the one in the middle"
                                + " had.",
                        ours.result().flows().size(), ours.fairness()));
        return lines;
    }

    private static void row(
            TextTable table, String side, @Nullable Footprint footprint, int count) {
        if (footprint == null) {
            table.row(side, "-", "-", "-");
            return;
        }
        table.row(
                side,
                text("%.1f KiB", footprint.heapBytes() / KIB / count),
                text("%.1f KiB", footprint.outsideBytes() / KIB / count),
                text("%.3f", footprint.threads() / (double) count));
    }

    private static List<String> times(Findings findings) {
        TextTable table =
                table("lrrrrrrrr", " | bytes | p50 us | p90 | p99 | p99.9 | max | M/s | GB/s");
        for (Finding finding : all(findings)) {
            table.row(
                    finding.side(),
                    Integer.toString(finding.bytes()),
                    us(finding, 50),
                    us(finding, 90),
                    us(finding, 99),
                    us(finding, 99.9),
                    us(finding, 100),
                    text("%.4f", finding.messagesPerSecond() / MEGA),
                    text("%.3f", finding.gbPerSecond()));
        }
        return table.lines();
    }

    private static List<String> costs(Findings findings) {
        TextTable table =
                table(
                        "lrrrrrrrr",
                        "each message | bytes | allocated | copies: client | server | system calls"
                                + " | cpu: client | server | ns");
        for (Finding finding : all(findings)) {
            table.row(
                    finding.side(),
                    Integer.toString(finding.bytes()),
                    text("%.2f B", finding.allocatedBytesPerMessage()),
                    text("%.2f", finding.clientCopiesPerMessage()),
                    text("%.2f", finding.serverCopiesPerMessage()),
                    finding.callsPerMessage() < 0 ? "-" : text("%.2f", finding.callsPerMessage()),
                    text("%.0f %%", finding.clientCpuPercent()),
                    text("%.0f %%", finding.serverCpuPercent()),
                    text("%.0f", finding.serverCpuNsPerMessage()));
        }
        return table.lines();
    }

    /** The system calls of a message; only those that occur at least once in a hundred messages. */
    private static List<String> calls(Findings findings) {
        List<String> lines = new ArrayList<>();
        for (Finding finding : all(findings)) {
            StringJoiner words = new StringJoiner(", ");
            finding.calls()
                    .forEach(
                            (name, each) -> {
                                if (each >= RARE) {
                                    words.add(text("%s %.2f", name, each));
                                }
                            });
            if (words.length() > 0) {
                lines.add(
                        text(
                                "System calls for a message of %s, %d bytes: %s.",
                                finding.side(), finding.bytes(), words));
            }
        }
        return lines;
    }

    private static List<String> ratios(Findings findings) {
        TextTable table =
                table(
                        "lrllrrrr",
                        findings.plan().target()
                                + " / ... | bytes | of | while | rounds | min | median | max");
        for (List<Finding> other : findings.others()) {
            for (int i = 0; i < other.size(); i++) {
                Finding mine = findings.ours().get(i);
                ratio(table, mine, other.get(i), null);
                for (Distance distance : Distance.values()) {
                    ratio(table, mine, other.get(i), distance);
                }
            }
        }
        return table.lines();
    }

    private static void ratio(
            TextTable table, Finding mine, Finding other, @Nullable Distance distance) {
        Spread ratio = Findings.ratio(mine, other, distance);
        if (ratio != null) {
            table.row(
                    other.side(),
                    Integer.toString(mine.bytes()),
                    mine.comparesLatencies() ? "p50" : "rate",
                    distance == null ? "always" : distance.toString(),
                    Integer.toString(ratio.count()),
                    text("%.2f", ratio.min()),
                    text("%.2f", ratio.median()),
                    text("%.2f", ratio.max()));
        }
    }

    private static TextTable table(String alignment, String titles) {
        return new TextTable(alignment, titles.split(" \\| ", -1));
    }

    private static List<Finding> all(Findings findings) {
        List<Finding> all = new ArrayList<>(findings.ours());
        findings.others().forEach(all::addAll);
        return all;
    }

    private static String us(Finding finding, double percentile) {
        double us = finding.latencyUs(percentile);
        return text(us < 100 ? "%.2f" : "%.0f", us);
    }

    @SuppressWarnings("AnnotateFormatMethod") // every format is a constant of this class
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
