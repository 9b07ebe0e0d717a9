package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.config.Configuration;
import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Trees;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Short runs of the whole rig, each in processes of its own; speed is nobody's concern here. */
abstract class PerfTestSupport {
    /** One round, so that nobody waits for more. */
    static final String TIMES = " --seconds 0.1 --rounds 1 --warm-up 0.1";

    private static final List<String> FIELDS =
            List.of(
                    "pattern",
                    "bytes",
                    "p50Us",
                    "p99Us",
                    "p999Us",
                    "messagesPerSecond",
                    "gbPerSecond",
                    "allocatedBytesPerMessage",
                    "calibrationUs");

    @TempDir Path directory;

    /** For shared memory, in the place where it is by default. */
    private Path memory;

    @BeforeEach
    final void makeMemory() throws IOException {
        Configuration defaults = Configuration.resolve(DaemonKnobs.all(), Map.of());
        Path usual = Path.of(defaults.get(HostKnobs.SEGMENT_DIRECTORY));
        // .ci/run finds the process in the name, and leaves out what belongs to a living one.
        String prefix = "zbmi-" + ProcessHandle.current().pid() + "-perf-test-";
        memory = Files.createTempDirectory(usual, prefix);
    }

    @AfterEach
    final void removeMemory() throws IOException {
        Trees.delete(memory);
    }

    final ProgramRun start(String line) throws IOException {
        List<String> args = new ArrayList<>(List.of("perf"));
        args.addAll(List.of(line.split("\\s+")));
        return ProgramRun.start(
                List.of("env", "JBMI_ZBMI_SEGMENT_DIRECTORY=" + memory),
                BmiMain.class,
                List.of("-Djava.io.tmpdir=" + directory),
                args.toArray(String[]::new));
    }

    @SuppressWarnings("unchecked")
    final Map<String, Object> measure(String line) throws Exception {
        try (ProgramRun run = start(line + TIMES + " --json")) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<String, Object> json = (Map<String, Object>) Json.parse(run.out().getLast());
            assertThat(json).containsKeys(FIELDS.toArray(String[]::new));
            assertThat(number(json, "messagesPerSecond")).as(run.transcript()).isPositive();
            return json;
        }
    }

    static double number(Map<String, Object> json, String name) {
        return ((Number) json.get(name)).doubleValue();
    }

    final void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(path -> !path.toString().matches(".*[.](svg|json)"))).isEmpty();
        }
        assertThat(memory).isEmptyDirectory();
    }
}
