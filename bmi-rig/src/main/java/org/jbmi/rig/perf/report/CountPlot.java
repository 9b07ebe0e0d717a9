package org.jbmi.rig.perf.report;

import java.util.ArrayList;
import java.util.List;

/** Draws figures over a number, such as that of connections, in charts one below the other. */
public final class CountPlot {
    private CountPlot() {}

    /** A line of a chart, filled point by point. */
    public static final class Line {
        private final String name;
        private final boolean second;
        private final List<double[]> points = new ArrayList<>();

        /**
         * A line without points.
         *
         * @param name beside its end
         * @param second whether it is dashed and has the colour of the line before it
         */
        public Line(String name, boolean second) {
            this.name = name;
            this.second = second;
        }

        /**
         * Adds a point; the chart shows only values above 0.
         *
         * @param count on the horizontal axis
         * @param value on the vertical axis
         */
        public void point(int count, double value) {
            points.add(new double[] {count, value});
        }
    }

    /**
     * A chart.
     *
     * @param title what its lines show, with the unit
     * @param lines its lines
     */
    public record Panel(String title, List<Line> lines) {}

    /**
     * Draws.
     *
     * @param subtitle how it was measured
     * @param horizontal the label of the horizontal axis of all charts
     * @param panels the charts
     * @return an SVG document
     */
    public static String of(String subtitle, String horizontal, List<Panel> panels) {
        List<SvgChart> charts = new ArrayList<>();
        for (Panel panel : panels) {
            SvgChart chart = new SvgChart(panel.title(), subtitle);
            for (Line line : panel.lines()) {
                SvgChart.Series series = chart.series(line.name, line.second);
                line.points.forEach(point -> series.point(point[0], point[1]));
            }
            chart.axes(horizontal, SvgChart.Scale.COUNT, panel.title());
            charts.add(chart);
        }
        return SvgChart.drawAll(charts);
    }
}
