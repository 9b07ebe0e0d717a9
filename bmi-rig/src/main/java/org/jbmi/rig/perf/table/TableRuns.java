package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.Distance;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.Measurement;
import org.jbmi.tools.cli.ToolException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.Function;

/** Makes the measurements of a table and prints its lines; used by all tables. */
public final class TableRuns {
    private final Consumer<String> out;
    private final Consumer<String> notices;
    private final Consumer<Measurement> started;

    /**
     * Prepares the runs of a table.
     *
     * @param out takes the table's lines
     * @param notices takes lines about the progress
     * @param started takes each run when it starts, so that an interrupt can end it
     */
    public TableRuns(
            Consumer<String> out, Consumer<String> notices, Consumer<Measurement> started) {
        this.out = out;
        this.notices = notices;
        this.started = started;
    }

    /** Prints a line of the table. */
    void line(String text) {
        out.accept(text);
    }

    /** Prints a row of the table. */
    void row(List<String> cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    /** Prints the head of the table. */
    void head(List<String> titles) {
        row(titles);
        line("|" + "---|".repeat(titles.size()));
    }

    /** Measures; null if that is not possible, which it tells the user. */
    @Nullable Findings measure(TableRow row, String what) throws IOException, InterruptedException {
        notices.accept(row.target() + ": " + what + " ...");
        try (Measurement measurement = new Measurement(row.plan(), line -> {})) {
            started.accept(measurement);
            return measurement.run();
        } catch (ToolException e) {
            notices.accept(e.getMessage());
            return null;
        }
    }

    /** The thread shares of client and server, in per cent. */
    static String shares(Findings findings) {
        Finding ours = findings.ours().getFirst();
        return text("%.0f, %.0f", ours.clientSharePercent(), ours.serverSharePercent());
    }

    /** The ratios to each baseline, by the distance of the processors. */
    static String ratio(Findings findings) {
        StringJoiner ratios = new StringJoiner("; ");
        for (List<Finding> other : findings.others()) {
            Finding theirs = other.getFirst();
            ratios.add(ratio(findings.ours().getFirst(), theirs) + " x " + theirs.side());
        }
        return ratios.toString();
    }

    /** The ratios of two findings, by the distance of the processors. */
    static String ratio(Finding one, Finding other) {
        StringJoiner parts = new StringJoiner(", ");
        for (Distance distance : Distance.values()) {
            Findings.Spread ratio = Findings.ratio(one, other, distance);
            if (ratio != null) {
                parts.add(
                        text(
                                "%s %.2f (%.2f to %.2f)",
                                distance, ratio.median(), ratio.min(), ratio.max()));
            }
        }
        return parts.toString();
    }

    /** A figure for each distance of the processors that has rounds. */
    static String byDistance(Finding finding, Function<Finding, String> figure) {
        StringJoiner parts = new StringJoiner(", ");
        for (Distance distance : Distance.values()) {
            Finding some = finding.at(distance);
            if (!some.rounds().isEmpty()) {
                parts.add(distance + " " + figure.apply(some));
            }
        }
        return parts.toString();
    }

    @SuppressWarnings("AnnotateFormatMethod") // every format is a constant of this package
    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
