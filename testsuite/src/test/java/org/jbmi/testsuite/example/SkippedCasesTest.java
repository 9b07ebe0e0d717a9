package org.jbmi.testsuite.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.ConformanceCase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The how-to says how many cases of the kit the example does not support. */
@Timeout(30)
class SkippedCasesTest {
    @Test
    void theHowToHasTheNumberOfSkippedCases() throws IOException {
        Set<Capability> capabilities = new NoteFixture().capabilities();
        List<ConformanceCase> cases = Catalogue.all();
        long skipped = cases.stream().filter(one -> !capabilities.containsAll(one.needs())).count();
        String page = Files.readString(Path.of("..", "docs", "howto", "write-a-method.md"));
        assertThat(page).contains("so " + skipped + " of " + cases.size() + " cases are skipped.");
    }
}
