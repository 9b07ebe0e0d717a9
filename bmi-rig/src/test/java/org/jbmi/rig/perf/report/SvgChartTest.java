package org.jbmi.rig.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What a reader of a picture sees beside its lines. */
@Timeout(30)
class SvgChartTest {
    private static final int HEIGHT = 480;
    private static final Pattern NAME = Pattern.compile("y=\"([0-9.]+)\" fill=\"#[0-9a-f]+\">line");

    @Test
    void theNamesOfLinesAtTheBottomStayInThePicture() {
        SvgChart chart = SvgChart.ofShares("shares", "played", "number");
        for (int i = 0; i < 6; i++) {
            chart.series("line " + i, false).point(1, 0);
        }
        List<Double> heights =
                NAME.matcher(SvgChart.drawAll(List.of(chart)))
                        .results()
                        .map((MatchResult name) -> Double.valueOf(name.group(1)))
                        .toList();
        assertThat(heights).hasSize(6).allMatch(y -> y < HEIGHT);
        for (int i = 1; i < heights.size(); i++) {
            assertThat(heights.get(i) - heights.get(i - 1)).isGreaterThanOrEqualTo(15);
        }
    }

    @Test
    void smallNumbersAreNotRoundedToOthers() {
        SvgChart chart = SvgChart.ofCounts("GB/s", "played", "number");
        SvgChart.Series line = chart.series("line", false);
        line.point(1, 0.0004);
        line.point(2, 0.06);
        assertThat(SvgChart.drawAll(List.of(chart)))
                .contains(">0.00050</text>", ">0.0010</text>", ">0.050</text>");
    }

    @Test
    void aSizeIsInKiBOnlyIfItIsWhole() {
        SvgChart chart = new SvgChart("latency", "played");
        chart.axes("bytes", SvgChart.Scale.BYTES, "us");
        SvgChart.Series line = chart.series("line", false);
        for (int bytes : new int[] {100, 400, 1600, 6400}) {
            line.point(bytes, 1);
        }
        assertThat(chart.draw()).contains(">1600</text>", ">6400</text>").doesNotContain("Ki<");
    }
}
