package org.jbmi.rig.zoidfs;

import org.jbmi.rig.perf.Findings.Spread;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Runs both sides of a row in turns, and writes the row. */
final class Comparison {
    /** The head of the table. */
    static final String HEAD =
            "| method | measure | goal | ours | beside | ratio (least to most) |"
                    + " server's processor time for one operation, us: zoidfs, baseline |";

    static final String RULE = "|---|---|---|---|---|---|---|";

    private static final double NS_PER_US = 1e3;
    private static final double GIGA = 1e9;

    private final Row row;
    private final long warmUpMs;
    private final long roundMs;
    private final double[] ours;
    private final double[] theirs;

    Comparison(Row row, long warmUpMs, long roundMs, int rounds) {
        this.row = row;
        this.warmUpMs = warmUpMs;
        this.roundMs = roundMs;
        this.ours = new double[rounds];
        this.theirs = new double[rounds];
    }

    /** Measures; returns a line of the table. */
    String run() throws IOException, ToolException, InterruptedException {
        try (Side left = row.ours().open();
                Side right = row.theirs().open()) {
            left.threads().run(warmUpMs);
            right.threads().run(warmUpMs);
            double leftUs = 0;
            double rightUs = 0;
            for (int i = 0; i < ours.length; i++) {
                leftUs += round(left, ours, i);
                rightUs += round(right, theirs, i);
            }
            return line(leftUs / ours.length, rightUs / ours.length);
        }
    }

    /** The server's processor time for a step, in microseconds. */
    private double round(Side side, double[] rates, int index)
            throws IOException, InterruptedException {
        Duration before = side.serverTime().get();
        LoadThreads.Work work = side.threads().run(roundMs);
        rates[index] = work.perSecond();
        return side.serverTime().get().minus(before).toNanos() / NS_PER_US / work.steps();
    }

    private static Spread spread(double[] values) {
        return Spread.of(Arrays.stream(values).boxed().toList());
    }

    private String rate(double[] rates) {
        double rate = spread(rates).median();
        return row.bytes() > 0
                ? String.format(Locale.ROOT, "%.3f GB/s", rate * row.bytes() / GIGA)
                : String.format(Locale.ROOT, "%.0f /s", rate);
    }

    private String line(double leftUs, double rightUs) {
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours[i] / theirs[i];
        }
        Spread ratio = spread(ratios);
        return String.format(
                Locale.ROOT,
                "| %s | %s | >= %.2f x %s | %s | %s | %.2f (%.2f to %.2f) | %.1f, %.1f |",
                row.method(),
                row.measure(),
                row.goal(),
                row.beside(),
                rate(ours),
                rate(theirs),
                ratio.median(),
                ratio.min(),
                ratio.max(),
                leftUs,
                rightUs);
    }
}
