package org.jbmi.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** docs/conformance.md and the code say the same. */
@Timeout(30)
class CatalogueDocumentTest {
    private static final Pattern GROUP = Pattern.compile("## ([A-Z])\\. .*");
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|.*\\| ([^|]+) \\|");

    @Test
    void statusIsKitForExactlyTheCasesOfTheCode() throws IOException {
        Map<Integer, String> documented = new TreeMap<>();
        String group = "";
        for (String line : Files.readAllLines(Path.of("..", "docs", "conformance.md"))) {
            Matcher heading = GROUP.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                group = heading.group(1);
            } else if (row.matches()) {
                String before = documented.put(Integer.valueOf(row.group(1)), group + row.group(2));
                assertThat(before).as("case " + row.group(1) + " stands there once").isNull();
            }
        }
        TreeSet<String> inDocument =
                documented.entrySet().stream()
                        .filter(entry -> entry.getValue().endsWith("kit"))
                        .map(entry -> entry.getValue().charAt(0) + " " + entry.getKey())
                        .collect(Collectors.toCollection(TreeSet::new));
        TreeSet<String> inCode =
                Catalogue.all().stream()
                        .map(one -> one.group() + " " + one.id())
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(inDocument).isEqualTo(inCode);
    }

    @Test
    void everyAmountStandsInItsRow() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "conformance.md"));
        for (Amount amount : Amount.values()) {
            String row =
                    page.lines()
                            .filter(line -> line.startsWith("| " + amount.caseId() + " |"))
                            .findFirst()
                            .orElse("");
            String text = grouped(amount.quick()) + " (" + grouped(amount.full()) + " in full)";
            assertThat(row).as(amount.name()).contains(text);
        }
    }

    private static String grouped(int number) {
        return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    }
}
