package org.jbmi.tools.perf.report;

import org.jbmi.tools.perf.Finding;
import org.jbmi.tools.perf.Findings;
import org.jbmi.tools.perf.Findings.Spread;
import org.jbmi.tools.perf.PerfPlan;
import org.jbmi.tools.text.TextTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A run for people. */
public final class TextReport {
    private static final double MEGA = 1e6;

    private TextReport() {}

    /**
     * Writes a run.
     *
     * @param findings of the run
     * @return lines
     */
    public static List<String> of(Findings findings) {
        PerfPlan plan = findings.plan();
        List<String> lines = new ArrayList<>();
        lines.add(
                "%s, %s, %d outstanding, wait %s, cpus %s, %d x %d clients, %d pending%s"
                        .formatted(
                                plan.target(),
                                plan.phase().pattern(),
                                plan.phase().outstanding(),
                                plan.waiting(),
                                plan.cpus(),
                                plan.clients(),
                                plan.threads(),
                                plan.phase().pending(),
                                plan.phase().options().verify() ? ", every byte checked" : ""));
        lines.add("");
        lines.addAll(times(findings));
        lines.add("");
        lines.addAll(costs(findings));
        if (!findings.others().isEmpty()) {
            lines.add("");
            lines.addAll(ratios(findings));
        }
        lines.add("");
        lines.add(
                text(
                        "Cache line there and back: %.3f us before, %.3f us after. Load of the"
                                + " machine before: %.2f.",
                        findings.calibrationBeforeUs(),
                        findings.calibrationAfterUs(),
                        findings.load()));
        lines.addAll(findings.remarks());
        return lines;
    }

    private static List<String> times(Findings findings) {
        TextTable table =
                new TextTable(
                        "lrrrrrrrr",
                        "",
                        "bytes",
                        "p50 us",
                        "p90",
                        "p99",
                        "p99.9",
                        "max",
                        "M/s",
                        "GB/s");
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
                new TextTable(
                        "lrrrrrrr",
                        "each message",
                        "bytes",
                        "allocated",
                        "copies: client",
                        "server",
                        "system calls",
                        "cpu: client",
                        "server");
        for (Finding finding : all(findings)) {
            table.row(
                    finding.side(),
                    Integer.toString(finding.bytes()),
                    text("%.2f B", finding.allocatedBytesPerMessage()),
                    text("%.2f", finding.clientCopiesPerMessage()),
                    text("%.2f", finding.serverCopiesPerMessage()),
                    finding.callsPerMessage() < 0 ? "-" : text("%.2f", finding.callsPerMessage()),
                    text("%.0f %%", finding.clientCpuPercent()),
                    text("%.0f %%", finding.serverCpuPercent()));
        }
        return table.lines();
    }

    private static List<String> ratios(Findings findings) {
        TextTable table =
                new TextTable(
                        "lrlrrr",
                        findings.plan().target() + " / ...",
                        "bytes",
                        "of",
                        "min",
                        "median",
                        "max");
        for (List<Finding> other : findings.others()) {
            for (int i = 0; i < other.size(); i++) {
                Finding mine = findings.ours().get(i);
                Spread ratio = Findings.ratio(mine, other.get(i));
                table.row(
                        other.get(i).side(),
                        Integer.toString(mine.bytes()),
                        mine.isRoundTrip() ? "p50" : "rate",
                        text("%.2f", ratio.min()),
                        text("%.2f", ratio.median()),
                        text("%.2f", ratio.max()));
            }
        }
        return table.lines();
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

    @SuppressWarnings("AnnotateFormatMethod") // every format stands in this class
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
