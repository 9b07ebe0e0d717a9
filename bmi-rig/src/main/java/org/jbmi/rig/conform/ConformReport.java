package org.jbmi.rig.conform;

import org.jbmi.testsuite.CaseResult;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.TextTable;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The results of the cases in one configuration. */
final class ConformReport {
    /** The result of a case; an excluded case counts as skipped. */
    enum Verdict {
        PASSED,
        FAILED,
        SKIPPED;

        static Verdict of(CaseResult result) {
            return switch (result.outcome()) {
                case PASSED -> PASSED;
                case FAILED -> FAILED;
                case SKIPPED, EXCLUDED -> SKIPPED;
            };
        }
    }

    private final MethodFixture fixture;
    private final List<CaseResult> results;

    ConformReport(MethodFixture fixture, List<CaseResult> results) {
        this.fixture = fixture;
        this.results = results;
    }

    long count(Verdict verdict) {
        return results.stream().filter(result -> Verdict.of(result) == verdict).count();
    }

    /** One JSON object on one line. */
    String json() {
        JsonWriter json = new JsonWriter().beginObject();
        json.name("method").value(fixture.name());
        json.name("config").value(fixture.configuration());
        json.name("passed").value(count(Verdict.PASSED));
        json.name("failed").value(count(Verdict.FAILED));
        json.name("skipped").value(count(Verdict.SKIPPED));
        json.name("cases").beginArray();
        for (CaseResult result : results) {
            json.beginObject();
            json.name("id").value(Integer.toString(result.conformanceCase().id()));
            json.name("name").value(result.conformanceCase().title());
            json.name("outcome").value(Verdict.of(result).name().toLowerCase(Locale.ROOT));
            json.name("reason").value(result.reason());
            json.end();
        }
        return json.end().end().toString();
    }

    /** A table by group, then the failed and the skipped cases with their reasons. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(fixture.name() + ", " + fixture.configuration());
        TextTable table = new TextTable("lrrr", "group", "passed", "failed", "skipped");
        groups().forEach((group, counts) -> row(table, Groups.name(group), counts));
        row(table, "all", counts(results));
        table.lines().forEach(line -> lines.add("  " + line));
        for (CaseResult result : results) {
            if (Verdict.of(result) != Verdict.PASSED) {
                String reason = result.reason().lines().findFirst().orElse("");
                String verdict = Verdict.of(result).name().toLowerCase(Locale.ROOT);
                lines.add(
                        "  "
                                + verdict
                                + " "
                                + result.conformanceCase().displayName()
                                + ": "
                                + reason);
            }
        }
        lines.add("");
        return lines;
    }

    private Map<Character, Map<Verdict, Integer>> groups() {
        Map<Character, List<CaseResult>> byGroup = new TreeMap<>();
        for (CaseResult result : results) {
            byGroup.computeIfAbsent(result.conformanceCase().group(), group -> new ArrayList<>())
                    .add(result);
        }
        Map<Character, Map<Verdict, Integer>> counts = new TreeMap<>();
        byGroup.forEach((group, some) -> counts.put(group, counts(some)));
        return counts;
    }

    private static Map<Verdict, Integer> counts(List<CaseResult> some) {
        Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        some.forEach(result -> counts.merge(Verdict.of(result), 1, Integer::sum));
        return counts;
    }

    private static void row(TextTable table, String title, Map<Verdict, Integer> counts) {
        table.row(
                title,
                counts.getOrDefault(Verdict.PASSED, 0).toString(),
                counts.getOrDefault(Verdict.FAILED, 0).toString(),
                counts.getOrDefault(Verdict.SKIPPED, 0).toString());
    }
}
