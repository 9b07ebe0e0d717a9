package org.jbmi.rig.perf.report;

import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a run: latency or bandwidth over size for a sweep, latency over percentile for one size,
 * each side with a line of its own.
 */
public final class SvgPlot {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 99.999};
    private static final double[] BANDS = {50, 99};

    private SvgPlot() {}

    /** Draws. */
    public static String of(Findings findings) {
        List<List<Finding>> sides = new ArrayList<>(List.of(findings.ours()));
        sides.addAll(findings.others());
        Finding first = findings.ours().getFirst();
        String what = findings.plan().target() + " " + first.phasePattern();
        SvgChart chart =
                new SvgChart(
                        title(what, findings),
                        String.format(
                                Locale.ROOT,
                                "wait %s, cpus %s, %d outstanding; cache line there and back %.2f"
                                        + " to %.2f µs",
                                findings.plan().waiting(),
                                findings.plan().cpus(),
                                findings.plan().phase().outstanding(),
                                Math.min(
                                        findings.calibrationBeforeUs(),
                                        findings.calibrationAfterUs()),
                                Math.max(
                                        findings.calibrationBeforeUs(),
                                        findings.calibrationAfterUs())));
        boolean sweep = findings.ours().size() > 1;
        for (List<Finding> side : sides) {
            if (!sweep) {
                percentiles(chart, side.getFirst());
            } else if (first.isRoundTrip()) {
                latencies(chart, side);
            } else {
                bandwidth(chart, side);
            }
        }
        if (!sweep) {
            chart.axes("percentile", SvgChart.Scale.PERCENTILE, "latency, µs");
        } else {
            chart.axes(
                    "bytes a message",
                    SvgChart.Scale.BYTES,
                    first.isRoundTrip() ? "round trip, µs" : "GB/s, one way");
        }
        return chart.draw();
    }

    private static String title(String what, Findings findings) {
        return findings.ours().size() > 1
                ? what
                : what + " of " + findings.ours().getFirst().bytes() + " bytes";
    }

    private static void percentiles(SvgChart chart, Finding finding) {
        SvgChart.Series series = chart.series(finding.side(), false);
        for (double percentile : PERCENTILES) {
            series.point(100 / (100 - percentile), finding.latencyUs(percentile));
        }
    }

    private static void latencies(SvgChart chart, List<Finding> sizes) {
        for (double band : BANDS) {
            SvgChart.Series series =
                    chart.series(sizes.getFirst().side() + " p" + (int) band, band != BANDS[0]);
            for (Finding finding : sizes) {
                series.point(finding.bytes(), finding.latencyUs(band));
            }
        }
    }

    private static void bandwidth(SvgChart chart, List<Finding> sizes) {
        SvgChart.Series series = chart.series(sizes.getFirst().side(), false);
        for (Finding finding : sizes) {
            series.point(finding.bytes(), finding.gbPerSecond());
        }
    }
}
