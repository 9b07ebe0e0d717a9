package org.jbmi.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Every known fault of the C library has a regression that exists, or a reason. */
class DefectsTest {
    private static final Path PROJECT = Path.of("..");

    private static final Pattern DEFECT_ROW =
            Pattern.compile("(?m)^\\| ([CTOZ]\\d\\d[^|]*) \\| [^|]+ \\| ([^|]*)\\| ([^|]*)\\|$");
    private static final Pattern NUMBERS = Pattern.compile("([CTOZ]?)(\\d+)(?: to [CTOZ]?(\\d+))?");

    private static Stream<String> ids(String letter, int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(n -> String.format("%s%02d", letter, n));
    }

    @Test
    void everyRowIsThere() {
        List<String> rows =
                Stream.of(
                                ids("C", 1, 46),
                                ids("T", 1, 65),
                                ids("O", 1, 9),
                                ids("Z", 1, 23),
                                ids("Z", 30, 57),
                                ids("Z", 60, 63))
                        .flatMap(stream -> stream)
                        .toList();
        assertThat(Defects.all().keySet()).containsExactlyInAnyOrderElementsOf(rows);
    }

    @Test
    void everyGuardExists() throws IOException {
        TreeSet<String> cases = new TreeSet<>();
        Catalogue.all().forEach(one -> cases.add(Integer.toString(one.id())));
        for (Map.Entry<String, List<String>> entry : Defects.all().entrySet()) {
            for (String guard : entry.getValue()) {
                if (guard.contains("#")) {
                    assertThat(isTest(guard)).as(entry.getKey() + ": " + guard).isTrue();
                } else {
                    assertThat(cases).as(entry.getKey()).contains(guard);
                }
            }
        }
    }

    private static boolean isTest(String guard) throws IOException {
        String[] parts = guard.split("#", -1);
        Path folder = PROJECT.resolve("bmi-method-tcp/src/test/java/org/jbmi/tcp");
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.endsWith(parts[0] + ".java")).toList()) {
                if (Files.readString(file).contains("void " + parts[1] + "(")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The rows of the tables by area, each against the lines of the resource of all its ids. */
    @Test
    void theTablesNameTheSameGuards() throws IOException {
        String page = Files.readString(PROJECT.resolve("docs/conformance.md"));
        page = page.substring(0, page.indexOf("### What cannot occur here"));
        Map<String, List<String>> defects = Defects.all();
        TreeSet<String> unseen = new TreeSet<>(defects.keySet());
        for (MatchResult row : DEFECT_ROW.matcher(page).results().toList()) {
            TreeSet<String> cases = new TreeSet<>();
            for (String id : numbers(row.group(1))) {
                assertThat(unseen.remove(id)).as("one row has " + id).isTrue();
                for (String guard : defects.get(id)) {
                    if (guard.contains("#")) {
                        String test = "`" + guard.substring(0, guard.indexOf('#')) + "`";
                        assertThat(row.group(3)).as("tests of " + id).contains(test);
                    } else {
                        cases.add(guard);
                    }
                }
            }
            assertThat(numbers(row.group(2)))
                    .as("cases of " + row.group(1))
                    .containsExactlyInAnyOrderElementsOf(cases);
        }
        assertThat(unseen).isEmpty();
    }

    /** What "T04, T06" or "165 to 167" means. */
    private static List<String> numbers(String text) {
        List<String> all = new ArrayList<>();
        for (MatchResult part : NUMBERS.matcher(text).results().toList()) {
            String last = part.group(3) == null ? part.group(2) : part.group(3);
            IntStream.rangeClosed(Integer.parseInt(part.group(2)), Integer.parseInt(last))
                    .mapToObj(n -> part.group(1).isEmpty() ? "%d".formatted(n) : id(part, n))
                    .forEach(all::add);
        }
        return all;
    }

    private static String id(MatchResult part, int number) {
        return "%s%02d".formatted(part.group(1), number);
    }

    @Test
    void whatCannotOccurHasAReason() throws IOException {
        String page = Files.readString(PROJECT.resolve("docs/conformance.md"));
        page = page.substring(page.indexOf("### What cannot occur here"));
        for (Map.Entry<String, List<String>> entry : Defects.all().entrySet()) {
            assertThat(page.contains("\n| " + entry.getKey() + " | "))
                    .as("a reason for " + entry.getKey())
                    .isEqualTo(entry.getValue().isEmpty());
        }
    }

    @Test
    void casesAreCalledByWhatTheyGuard() {
        ConformanceCase one =
                Catalogue.all().stream().filter(each -> each.id() == 144).findFirst().orElseThrow();
        assertThat(Defects.shownBy(one)).contains("Z01", "Z34");
    }
}
