package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The page that leads from Mercury and Margo to Java names each of their calls, once. */
class MercuryMappingTest {
    private final String page;

    MercuryMappingTest() throws IOException {
        page = Documents.read("docs/mercury-mapping.md");
    }

    @Test
    void everyCallHasItsPlace() throws IOException {
        List<String> found = new ArrayList<>();
        for (List<String> row : Documents.rows(page)) {
            assertThat(row).hasSize(2);
            found.addAll(Documents.code(row.getFirst()));
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(calls());
    }

    private static List<String> calls() throws IOException {
        try (InputStream in = MercuryMappingTest.class.getResourceAsStream("mercury-calls.txt")) {
            byte[] bytes = Objects.requireNonNull(in).readAllBytes();
            return new String(bytes, StandardCharsets.UTF_8).lines().toList();
        }
    }

    @Test
    void whatHasNoCounterpartSaysWhy() {
        assertThat(Documents.rows(page))
                .map(List::getLast)
                .filteredOn(cell -> cell.startsWith("none"))
                .isNotEmpty()
                .allMatch(cell -> cell.matches("none( in BMI)?, (because|for the same reason).*"));
    }

    @Test
    void everyJavaNameExists() {
        assertThat(Documents.missingMembers(page)).isEmpty();
    }
}
