package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A store into a file of a runtime directory never finds its file system full. */
@Timeout(60)
class ReservedFileTest {
    private static final int COUNTERS = 500;

    @TempDir Path directory;

    private static long allocatedBytes(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b %B", file.toString()).start();
        String[] words;
        try (var out = stat.getInputStream()) {
            String line = new String(out.readAllBytes(), StandardCharsets.US_ASCII);
            words = line.strip().split(" ", -1);
        }
        return Long.parseLong(words[0]) * Long.parseLong(words[1]);
    }

    @Test
    void countersAndErrorsHaveAllTheirBlocksFromTheStart() throws IOException {
        Path counters = directory.resolve("counters");
        Path errors = directory.resolve("errors");
        try (CountersFile first = CountersFile.create(counters, COUNTERS);
                ErrorsFile second = ErrorsFile.create(errors)) {
            assertThat(first).isNotNull();
            assertThat(second).isNotNull();
            for (Path file : new Path[] {counters, errors}) {
                assertThat(Files.size(file)).isPositive();
                assertThat(allocatedBytes(file)).isGreaterThanOrEqualTo(Files.size(file));
            }
        }
    }

    @Test
    void whatDoesNotFitIsSaidAndLeavesNothing() {
        Path file = directory.resolve("huge");
        assertThatThrownBy(() -> ReservedFile.create(file, 1L << 60, "file of a test"))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("file of a test")
                .hasMessageContaining(file.toString())
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ENOSPC);
        assertThat(file).doesNotExist();
    }

    @Test
    void whyItCannotBeMadeIsSaidInWords() throws IOException {
        Path missing = directory.resolve("missing");
        Path file = missing.resolve("counters");
        assertThatThrownBy(() -> ReservedFile.create(file, 1, "file of a test"))
                .isInstanceOf(BmiException.class)
                .hasMessage("Cannot make the file of a test %s: there is no %s.", file, file);
        Files.createDirectories(file.resolve("more"));
        assertThatThrownBy(() -> ReservedFile.create(file, 1, "file of a test"))
                .isInstanceOf(BmiException.class)
                .hasMessage(
                        "Cannot make the file of a test %s: %s is a directory that is not empty.",
                        file, file);
    }
}
