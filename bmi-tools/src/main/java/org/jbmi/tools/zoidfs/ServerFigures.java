package org.jbmi.tools.zoidfs;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The counters of a server, from its text for Prometheus, shown as a table. */
final class ServerFigures {
    private static final String LABEL = "{operation=\"";
    private static final double MS_PER_SECOND = 1_000;
    private static final double PERCENT = 100;
    private static final List<String> PARTS = List.of("queue", "disk", "link");

    /** By operation, then by the name of the figure. */
    private final Map<String, Map<String, Double>> operations = new LinkedHashMap<>();

    private final Map<String, Double> others = new LinkedHashMap<>();

    private ServerFigures() {}

    /** Reads lines of the form {@code name{operation="x"} value} and {@code name value}. */
    static ServerFigures of(String text) {
        ServerFigures figures = new ServerFigures();
        text.lines().filter(line -> !line.startsWith("#")).forEach(figures::add);
        return figures;
    }

    private void add(String line) {
        int space = line.lastIndexOf(' ');
        if (space < 0) {
            return;
        }
        String name = line.substring(0, space);
        double value;
        try {
            value = Double.parseDouble(line.substring(space + 1));
        } catch (NumberFormatException e) {
            return;
        }
        int label = name.indexOf(LABEL);
        if (label < 0) {
            others.put(name, value);
        } else {
            String operation = name.substring(label + LABEL.length(), name.length() - 2);
            operations
                    .computeIfAbsent(operation, each -> new LinkedHashMap<>())
                    .put(name.substring(0, label), value);
        }
    }

    void show(PrintWriter out) {
        out.printf(
                "%-10s %9s %7s %14s %9s %9s %9s  %s%n",
                "operation",
                "calls",
                "failed",
                "bytes",
                "queue ms",
                "disk ms",
                "link ms",
                "mostly");
        operations.forEach(
                (operation, figures) -> {
                    if (of(figures, "calls") > 0) {
                        out.println(line(operation, figures));
                    }
                });
        others.forEach((name, value) -> out.printf("%s %.0f%n", words(name), value));
    }

    private static double of(Map<String, Double> figures, String name) {
        return figures.getOrDefault("zoidfs_" + name + "_total", 0.0);
    }

    private static double seconds(Map<String, Double> figures, String part) {
        return of(figures, part + "_seconds");
    }

    private static String line(String operation, Map<String, Double> figures) {
        double calls = of(figures, "calls");
        double perCall = MS_PER_SECOND / calls;
        return String.format(
                Locale.ROOT,
                "%-10s %9.0f %7.0f %14.0f %9.3f %9.3f %9.3f  %s",
                operation,
                calls,
                of(figures, "failures"),
                of(figures, "bytes"),
                seconds(figures, "queue") * perCall,
                seconds(figures, "disk") * perCall,
                seconds(figures, "link") * perCall,
                mostly(figures));
    }

    /** The part of an operation's calls that took most of the time. */
    private static String mostly(Map<String, Double> figures) {
        double all = 0;
        String most = "";
        double longest = 0;
        for (String part : PARTS) {
            double seconds = seconds(figures, part);
            all += seconds;
            if (seconds > longest) {
                longest = seconds;
                most = part;
            }
        }
        return all == 0
                ? ""
                : String.format(Locale.ROOT, "%s %.0f %%", most, longest / all * PERCENT);
    }

    /** The words of a name: {@code zoidfs_open_files} becomes "open files". */
    private static String words(String name) {
        return name.replace("zoidfs_", "").replace("_total", "").replace('_', ' ');
    }
}
