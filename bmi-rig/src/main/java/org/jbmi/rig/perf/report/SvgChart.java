package org.jbmi.rig.perf.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart with two logarithmic axes, a grid, lines with points, and their names beside their ends.
 * The vertical axis of shares is linear, from 0 to 1. Colours are attributes, and the chart has a
 * background of its own. Viewers that do not know variables in style sheets would draw black on
 * black. Only some follow the reader's theme.
 */
public final class SvgChart {
    /** The scale of the horizontal axis. */
    enum Scale {
        /** Powers of 4, as numbers of bytes. */
        BYTES,
        /** 1 / (1 - p), as percentiles. */
        PERCENTILE,
        /** The numbers of the points. */
        COUNT
    }

    private static final int WIDTH = 930;
    private static final int HEIGHT = 480;

    private static final int LEFT = 72;
    private static final int RIGHT = 240;
    private static final int TOP = 70;
    private static final int BOTTOM = 56;
    private static final double LABEL_GAP = 15;
    private static final List<Double> SHARES = List.of(0.0, 0.25, 0.5, 0.75, 1.0);
    private static final String PAPER = "#ffffff";
    private static final String INK = "#1f2328";
    private static final String FAINT = "#59636e";
    private static final String GRID = "#dde2e7";
    private static final List<String> PALETTE =
            List.of("#0b62d6", "#c4450c", "#0f7b4f", "#8a3ffc", "#7a5a00", "#b3005e");

    /** A line. */
    public static final class Series {
        private final String name;
        private final boolean second;
        private final String colour;
        private final double leastY;
        private final List<double[]> points = new ArrayList<>();

        private Series(String name, boolean second, String colour, double leastY) {
            this.name = name;
            this.second = second;
            this.colour = colour;
            this.leastY = leastY;
        }

        /** Adds a point. A logarithmic axis shows only values above 0, so others are left out. */
        public void point(double x, double y) {
            if (x > 0 && y >= leastY) {
                points.add(new double[] {x, y});
            }
        }

        private double lastY() {
            return points.getLast()[1];
        }
    }

    private final String title;
    private final String subtitle;
    private final List<Series> lines = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();
    private int colours;
    private String xTitle = "";
    private String yTitle = "";
    private Scale scale = Scale.BYTES;
    private boolean ofShares;
    private double minX;
    private double maxX;
    private double minY;
    private double maxY;

    SvgChart(String title, String subtitle) {
        this.title = title;
        this.subtitle = subtitle;
    }

    /**
     * A chart of figures over a number, such as that of connections.
     *
     * @param title what its lines show, with the unit
     * @param subtitle how it was measured
     * @param horizontal the label of the horizontal axis
     */
    public static SvgChart ofCounts(String title, String subtitle, String horizontal) {
        SvgChart chart = new SvgChart(title, subtitle);
        chart.axes(horizontal, Scale.COUNT, title);
        return chart;
    }

    /**
     * A chart of shares over a number.
     *
     * @param title what its lines show, from 0 to 1
     * @param subtitle how it was measured
     * @param horizontal the label of the horizontal axis
     */
    public static SvgChart ofShares(String title, String subtitle, String horizontal) {
        SvgChart chart = ofCounts(title, subtitle, horizontal);
        chart.ofShares = true;
        return chart;
    }

    /**
     * Adds a line without points.
     *
     * @param name beside its end
     * @param second whether it is dashed and has the colour of the line before it
     */
    public Series series(String name, boolean second) {
        int colour = second ? colours - 1 : colours++;
        String ink = PALETTE.get(colour % PALETTE.size());
        Series series = new Series(name, second, ink, ofShares ? 0 : Double.MIN_VALUE);
        lines.add(series);
        return series;
    }

    /** Sets the labels of the axes. */
    void axes(String horizontal, Scale horizontalScale, String vertical) {
        xTitle = horizontal;
        scale = horizontalScale;
        yTitle = vertical;
    }

    /** The whole picture. */
    String draw() {
        return drawAt(0);
    }

    /** Draws charts one below the other, in one picture. */
    public static String drawAll(List<SvgChart> charts) {
        int height = HEIGHT * charts.size();
        StringBuilder all = new StringBuilder();
        all.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\""
                                + " viewBox=\"0 0 %1$d %2$d\">%n",
                        WIDTH,
                        height));
        for (int i = 0; i < charts.size(); i++) {
            all.append(charts.get(i).drawAt(i * HEIGHT));
        }
        return all.append("</svg>\n").toString();
    }

    private String drawAt(int top) {
        lines.removeIf(line -> line.points.isEmpty());
        range();
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" y=\"%d\" width=\"%d\" height=\"%d\""
                        + " viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\""
                        + " role=\"img\" aria-label=\"%s\">",
                top, WIDTH, HEIGHT, WIDTH, HEIGHT, escape(title));
        add("<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>", WIDTH, HEIGHT, PAPER);
        add(
                "<text fill=\"%s\" font-size=\"18\" font-weight=\"600\" x=\"%d\""
                        + " y=\"30\">%s</text>",
                INK, LEFT, escape(title));
        add("<text fill=\"%s\" x=\"%d\" y=\"51\">%s</text>", FAINT, LEFT, escape(subtitle));
        horizontalTicks();
        verticalTicks();
        lines.forEach(this::line);
        legend();
        out.append("</svg>\n");
        return out.toString();
    }

    private void range() {
        minX = Double.MAX_VALUE;
        minY = Double.MAX_VALUE;
        for (Series line : lines) {
            for (double[] point : line.points) {
                minX = Math.min(minX, point[0]);
                maxX = Math.max(maxX, point[0]);
                minY = Math.min(minY, point[1]);
                maxY = Math.max(maxY, point[1]);
            }
        }
        if (lines.isEmpty()) {
            minX = 1;
            maxX = 10;
            minY = 1;
            maxY = 10;
        }
        // Up to the next half of a decade, so that no line lies on the frame.
        minY = Math.pow(10, Math.floor(Math.log10(minY) * 2 - 0.1) / 2);
        maxY = Math.pow(10, Math.ceil(Math.log10(maxY) * 2 + 0.1) / 2);
        if (maxX <= minX) {
            maxX = minX * 10;
        }
    }

    private double x(double value) {
        return LEFT + (WIDTH - LEFT - RIGHT) * Math.log(value / minX) / Math.log(maxX / minX);
    }

    private double y(double value) {
        double part = ofShares ? value : Math.log(value / minY) / Math.log(maxY / minY);
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part;
    }

    private void horizontalTicks() {
        label((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", xTitle);
        if (scale == Scale.COUNT) {
            lines.stream()
                    .flatMap(line -> line.points.stream().map(point -> point[0]))
                    .distinct()
                    .forEach(value -> tick(value, Long.toString(Math.round(value))));
            return;
        }
        double step = scale == Scale.BYTES ? 4 : 10;
        double first = scale == Scale.BYTES ? minX : 10;
        if (scale == Scale.PERCENTILE) {
            tick(2, "50 %");
        }
        for (double value = first; value <= maxX * 1.0001; value *= step) {
            tick(value, scale == Scale.BYTES ? bytes(value) : percentile(value));
        }
    }

    private void tick(double value, String label) {
        double at = x(value);
        rule(at, at, TOP, HEIGHT - BOTTOM);
        label(at, HEIGHT - BOTTOM + 19, "middle", label);
    }

    private void rule(double fromX, double toX, double fromY, double toY) {
        add(
                "<line stroke=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                GRID, fromX, toX, fromY, toY);
    }

    private void label(double x, double y, String anchor, String text) {
        add(
                "<text fill=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                FAINT, x, y, anchor, escape(text));
    }

    private void verticalTicks() {
        if (ofShares) {
            for (double share : SHARES) {
                verticalTick(share);
            }
        } else {
            decades();
        }
        add(
                "<text fill=\"%s\" transform=\"translate(18 %d) rotate(-90)\""
                        + " text-anchor=\"middle\">%s</text>",
                FAINT, (TOP + HEIGHT - BOTTOM) / 2, escape(yTitle));
    }

    private void verticalTick(double value) {
        rule(LEFT, WIDTH - RIGHT, y(value), y(value));
        label(LEFT - 8, y(value) + 4, "end", number(value));
    }

    private void decades() {
        for (double decade = Math.pow(10, Math.floor(Math.log10(minY)));
                decade <= maxY * 1.0001;
                decade *= 10) {
            for (int digit : new int[] {1, 2, 5}) {
                double value = decade * digit;
                if (value >= minY * 0.9999 && value <= maxY * 1.0001) {
                    verticalTick(value);
                }
            }
        }
    }

    private void line(Series line) {
        StringBuilder path = new StringBuilder();
        for (double[] point : line.points) {
            path.append(
                    String.format(
                            Locale.ROOT,
                            "%s%.1f %.1f",
                            path.isEmpty() ? "M" : " L",
                            x(point[0]),
                            y(point[1])));
        }
        add(
                "<path fill=\"none\" stroke=\"%s\" %s stroke-linejoin=\"round\" d=\"%s\"/>",
                line.colour,
                line.second
                        ? "stroke-width=\"1.6\" stroke-dasharray=\"6 4\""
                        : "stroke-width=\"2.2\"",
                path);
        for (double[] point : line.points) {
            add(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s:"
                            + " %s</title></circle>",
                    x(point[0]), y(point[1]), line.colour, escape(line.name), number(point[1]));
        }
    }

    /**
     * Writes the names beside the ends of their lines, and moves them apart if they would overlap.
     */
    private void legend() {
        List<Series> byHeight = new ArrayList<>(lines);
        byHeight.sort((a, b) -> Double.compare(b.lastY(), a.lastY()));
        double free = 0;
        double lowest = HEIGHT - LABEL_GAP * byHeight.size(); // leaves room for those below
        for (Series line : byHeight) {
            double at = Math.min(Math.max(y(line.lastY()) + 4, free), lowest);
            free = at + LABEL_GAP;
            lowest += LABEL_GAP;
            add(
                    "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>",
                    WIDTH - RIGHT + 10,
                    at,
                    line.colour,
                    escape(line.name + "  " + number(line.lastY())));
        }
    }

    private static String bytes(double value) {
        long bytes = Math.round(value);
        if (bytes % (1 << 20) == 0) {
            return (bytes >> 20) + " Mi";
        }
        return bytes % (1 << 10) == 0 ? (bytes >> 10) + " Ki" : Long.toString(bytes);
    }

    private static String percentile(double value) {
        String text = String.format(Locale.ROOT, "%.3f", 100 - 100 / value);
        return text.replaceAll("\\.?0+$", "") + " %";
    }

    private static String number(double value) {
        if (value >= 100 || value == 0) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        int digits = value >= 1 ? 1 : 1 - (int) Math.floor(Math.log10(value));
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    @SuppressWarnings("AnnotateFormatMethod") // every format is a constant of this class
    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
