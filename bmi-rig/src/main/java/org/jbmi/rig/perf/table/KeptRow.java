package org.jbmi.rig.perf.table;

import static org.jbmi.rig.perf.table.TableRuns.text;

import org.jbmi.rig.perf.Distance;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.report.JsonReport;
import org.jbmi.testsuite.json.Json;
import org.jbmi.tools.text.JsonWriter;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * A measured row as one line of JSON. Rows are printed and drawn from this form only, so that a
 * kept row gives the same as a new one.
 */
final class KeptRow {
    /** The rate of the slowest client, divided by that of the median client. */
    static final String SLOWEST = "slowestToMedian";

    private static final String TABLE = "table";

    /** How each line begins. */
    private static final String BEGIN = "{\"" + TABLE + "\":";

    private static final String ROW = "row";
    private static final String COUNT = "count";
    private static final String FAILED = "failed";

    /**
     * Which row of which table.
     *
     * @param row the name of the line in its plot
     * @param count what changes from row to row
     */
    record Key(String table, String row, int count) {}

    private final Map<?, ?> members;

    private KeptRow(Map<?, ?> members) {
        this.members = members;
    }

    /** The line of a row that was measured. */
    static String line(Key key, Findings findings) {
        return JsonReport.of(findings, json -> begin(json, key));
    }

    /** The line of a row that could not be measured. */
    static String line(Key key, String reason) {
        JsonWriter json = new JsonWriter().beginObject();
        begin(json, key);
        return json.name(FAILED).value(reason).end().toString();
    }

    private static void begin(JsonWriter json, Key key) {
        json.name(TABLE).value(key.table);
        json.name(ROW).value(key.row);
        json.name(COUNT).value(key.count);
    }

    /** Reads a line; an exception says what is wrong. */
    static KeptRow parse(String line) {
        if (Json.parse(line) instanceof Map<?, ?> members
                && members.get(TABLE) instanceof String
                && members.get(ROW) instanceof String
                && members.get(COUNT) instanceof Long) {
            return new KeptRow(members);
        }
        throw new IllegalArgumentException("This is no row of a table: " + line);
    }

    /** Whether a line is only the beginning of a row, whose writer was killed. */
    static boolean isTorn(String line) {
        if (!line.startsWith(BEGIN) && !BEGIN.startsWith(line)) {
            return false;
        }
        try {
            Json.parse(line);
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    Key key() {
        return new Key(word(TABLE), word(ROW), (int) number(COUNT));
    }

    boolean failed() {
        return members.containsKey(FAILED);
    }

    private String word(String name) {
        return String.valueOf(members.get(name));
    }

    boolean has(String name) {
        return members.get(name) instanceof Number;
    }

    /** A figure, by its name in {@code --json}; 0 if the row has none. */
    double number(String name) {
        return members.get(name) instanceof Number number ? number.doubleValue() : 0;
    }

    /** The baselines that took turns. */
    List<KeptRow> others() {
        List<KeptRow> others = new ArrayList<>();
        if (members.get("versus") instanceof List<?> all) {
            for (Object other : all) {
                if (other instanceof Map<?, ?> its) {
                    others.add(new KeptRow(its));
                }
            }
        }
        return others;
    }

    /** The only baseline; null if there is none. */
    @Nullable KeptRow other() {
        List<KeptRow> others = others();
        return others.isEmpty() ? null : others.getFirst();
    }

    /** The rate of the slowest client beside that of the median client; empty for one client. */
    String slowest() {
        return has(SLOWEST) ? text("%.2f", number(SLOWEST)) : "";
    }

    /** The thread shares of client and server, in per cent. */
    String shares() {
        return TableRuns.shares(number("clientSharePercent"), number("serverSharePercent"));
    }

    /** The working time of the JIT compilers, in per cent. */
    String compilers() {
        return text("%.1f", number("compilerPercent"));
    }

    /** The ratios to each baseline, by the distance of the processors. */
    String ratio() {
        StringJoiner ratios = new StringJoiner("; ");
        for (KeptRow other : others()) {
            StringJoiner parts = new StringJoiner(", ").setEmptyValue(TableRuns.NONE);
            for (Distance distance : Distance.values()) {
                String ratio = distance + "Ratio";
                if (other.has(ratio)) {
                    parts.add(
                            TableRuns.ratio(
                                    distance,
                                    other.number(ratio),
                                    other.number(ratio + "Min"),
                                    other.number(ratio + "Max")));
                }
            }
            ratios.add(parts + " x " + other.word("name"));
        }
        return ratios.toString();
    }
}
