package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.Distance;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.Measurement;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Makes the measurements of a table and prints its lines; used by all tables. */
public final class TableRuns {
    /** Stands in a row instead of its figures. */
    static final String FAILED = "could not be measured";

    /** Stands for a ratio if in no round both sides had the same distance. */
    static final String NONE = "-";

    private static final double MS_PER_S = 1000;

    private final Output output;
    private final Bounds bounds;

    /**
     * Who takes what a table gives.
     *
     * @param notices takes lines about the progress
     * @param started takes each run when it starts, so that an interrupt can end it
     */
    public record Output(
            Consumer<String> lines, Consumer<String> notices, Consumer<Measurement> started) {}

    /**
     * What bounds the measurements of a table.
     *
     * @param rowMillis the longest time of a row, which is ended then; 0 for no bound
     * @param kept takes the rows of some tables, or has them already
     * @param onlyKept whether nothing is measured: a table has the kept rows only
     */
    public record Bounds(long rowMillis, KeptRows kept, boolean onlyKept) {
        /** No bounds. */
        public static Bounds none() {
            return new Bounds(0, KeptRows.to(null), false);
        }
    }

    /** Prepares the runs of a table. */
    public TableRuns(Output output, Bounds bounds) {
        this.output = output;
        this.bounds = bounds;
    }

    /** Prints a line of the table. */
    void line(String text) {
        output.lines.accept(text);
    }

    /** Prints a row of the table. */
    void row(List<String> cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    /** Prints the head of the table: titles with bars between them. */
    void head(String titles) {
        line("| " + titles + " |");
        line("|" + "---|".repeat(titles.split("\\|", -1).length));
    }

    /** Measures; null if that is not possible, which it tells the user. */
    @Nullable Findings measure(TableRow row, String what) throws IOException, InterruptedException {
        return measure(row, what, output.notices);
    }

    /**
     * Measures a row and keeps it, also if that is not possible. Gives the kept row instead if the
     * table has only those; null if it is not among them.
     *
     * @throws InterruptedIOException if somebody ended the run; such a row is not kept
     */
    @Nullable KeptRow measure(TableRow row, KeptRow.Key key)
            throws IOException, InterruptedException {
        if (bounds.onlyKept) {
            return bounds.kept.find(key);
        }
        AtomicReference<String> reason = new AtomicReference<>("");
        String what = key.row() + ", " + key.count();
        Findings findings = measure(row, what, reason::set);
        if (findings != null) {
            return bounds.kept.add(KeptRow.line(key, findings));
        }
        output.notices.accept(reason.get());
        return bounds.kept.add(KeptRow.line(key, reason.get()));
    }

    private @Nullable Findings measure(TableRow row, String what, Consumer<String> failed)
            throws InterruptedIOException, InterruptedException {
        output.notices.accept(row.target() + ": " + what + " ...");
        AtomicBoolean late = new AtomicBoolean();
        try (Measurement measurement = new Measurement(row.plan(), line -> {});
                Watch watch = new Watch(() -> end(measurement, late))) {
            output.started.accept(measurement);
            watch.start(bounds.rowMillis);
            return measurement.run();
        } catch (InterruptedException | InterruptedIOException e) {
            if (!late.get()) {
                throw e;
            }
            failed.accept(tooLate());
        } catch (ToolException | IOException | RuntimeException e) {
            // One row that fails is no reason to lose the others.
            failed.accept(late.get() ? tooLate() : Sentences.of(e));
        }
        return null;
    }

    private String tooLate() {
        return text("The row took more than %.0f s and was ended.", bounds.rowMillis / MS_PER_S);
    }

    private static void end(Measurement measurement, AtomicBoolean late) {
        late.set(true);
        try {
            measurement.close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "perf", e);
        }
    }

    /** Does something when a time is over, unless it is closed before. */
    private static final class Watch implements AutoCloseable {
        private final CountDownLatch closed = new CountDownLatch(1);
        private final Runnable tooLate;

        Watch(Runnable tooLate) {
            this.tooLate = tooLate;
        }

        void start(long millis) {
            if (millis > 0) {
                Thread.ofPlatform().daemon().name("perf-watch").start(() -> await(millis));
            }
        }

        private void await(long millis) {
            try {
                if (!closed.await(millis, TimeUnit.MILLISECONDS)) {
                    tooLate.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /** Prints a row that could not be measured, by the cells that name it. */
    void failedRow(String... names) {
        row(Stream.concat(Stream.of(names), Stream.of(FAILED)).toList());
    }

    /** The thread shares of client and server, in per cent. */
    static String shares(Findings findings) {
        Finding ours = findings.ours().getFirst();
        return shares(ours.clientSharePercent(), ours.serverSharePercent());
    }

    static String shares(double clientPercent, double serverPercent) {
        return text("%.0f, %.0f", clientPercent, serverPercent);
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
        StringJoiner parts = new StringJoiner(", ").setEmptyValue(NONE);
        for (Distance distance : Distance.values()) {
            Findings.Spread ratio = Findings.ratio(one, other, distance);
            if (ratio != null) {
                parts.add(ratio(distance, ratio.median(), ratio.min(), ratio.max()));
            }
        }
        return parts.toString();
    }

    /** A ratio of the rounds at a distance. */
    static String ratio(Distance distance, double median, double min, double max) {
        return text("%s %.2f (%.2f to %.2f)", distance, median, min, max);
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
