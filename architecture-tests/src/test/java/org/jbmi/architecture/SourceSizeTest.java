package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * No class over 500 lines, in any module, tests included; the few that hold the state machine of an
 * operation, or the rule by which threads lead an engine, would be harder to follow in pieces: 800.
 */
class SourceSizeTest {

    private static final int MAXIMUM_LINES = 500;
    private static final int MAXIMUM_HOT_LINES = 800;
    private static final Set<String> HOT =
            Set.of(
                    "ClientOperations.java",
                    "DirectEngine.java",
                    "LaneChannel.java",
                    "ServerOperations.java");

    @Test
    void noSourceIsTooLong() throws IOException {
        List<Path> sources = sources(House.projectFolder());
        assertThat(sources).hasSizeGreaterThan(100);
        assertThat(tooLong(sources)).isEmpty();
    }

    @Test
    void aSourceThatIsTooLongIsSeen(@TempDir Path folder) throws IOException {
        Path module = Files.createDirectories(folder.resolve("module/src/main/java"));
        Path fits = Files.write(module.resolve("Fits.java"), Collections.nCopies(500, "//"));
        Path tooLong = Files.write(module.resolve("TooLong.java"), Collections.nCopies(501, "//"));
        assertThat(sources(folder)).containsExactlyInAnyOrder(fits, tooLong);
        assertThat(tooLong(sources(folder))).containsExactly(tooLong + ": 501 lines");
    }

    private static List<Path> sources(Path project) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(project)) {
            for (Path source : modules.map(module -> module.resolve("src")).toList()) {
                if (Files.isDirectory(source)) {
                    addSources(source, sources);
                }
            }
        }
        return sources;
    }

    private static void addSources(Path folder, List<Path> sources) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
    }

    private static List<String> tooLong(List<Path> sources) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path source : sources) {
            int lines = Files.readAllLines(source).size();
            boolean hot = HOT.contains(source.getFileName().toString());
            if (lines > (hot ? MAXIMUM_HOT_LINES : MAXIMUM_LINES)) {
                found.add(source + ": " + lines + " lines");
            }
        }
        return found;
    }
}
