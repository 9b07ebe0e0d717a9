package org.jbmi.rig.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZoidfsMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Measurements of zoidfs, as a user runs them. */
@Timeout(300)
class ZoidfsPerfTest {
    private static CommandRun run(String... args) {
        return CommandRun.of(new ZoidfsMain(), args);
    }

    @Test
    void wrongArgumentsAreToldInASentence() {
        assertIsWrong("--row: there is no measure", "perf", "--row", "no such row", "--mib", "16");
        assertIsWrong("--seconds goes from 1", "perf", "--seconds", "0");
        assertIsWrong("--seconds goes from 1 to", "perf", "--seconds", "9223372036854775807");
        assertIsWrong("--warm-up goes from 0 to", "perf", "--warm-up", "9223372036854775807");
        assertIsWrong("--mib goes from 16 to", "perf", "--mib", "17592186044416");
        assertIsWrong("tcp or zoid, not pigeon", "perf", "--method", "pigeon");
        assertIsWrong("--rounds goes from 1", "perf", "--rounds", "0");
    }

    private static void assertIsWrong(String text, String... args) {
        CommandRun run = run(args);
        assertThat(run.err()).contains(text);
        assertThat(run.status()).isEqualTo(2);
    }

    @Test
    void anInterruptLeavesNothing(@TempDir Path directory) throws Exception {
        String line = "perf --method zoid --row get_attr --seconds 60 --rounds 1 --mib 16";
        try (ProgramRun run =
                ProgramRun.start(
                        List.of("env", "JBMI_ZBMI_SEGMENT_DIRECTORY=" + directory),
                        ZoidfsMain.class,
                        List.of("-Djava.io.tmpdir=" + directory),
                        line.split(" "))) {
            List<ProcessHandle> servers = List.of();
            while (servers.size() < 2 && run.process().isAlive()) {
                Thread.sleep(5); // each look reads of all processes
                servers = run.process().descendants().toList();
            }
            run.process().toHandle().destroy();
            assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(143);
            assertThat(servers).hasSize(2).noneMatch(ProcessHandle::isAlive);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "answers tcp://127.0.0.1:0", "files"})
    void aServerEndsWithItsInput(String line, @TempDir Path directory) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
        if (line.equals(PeerMain.FILES)) {
            String export = Files.createDirectory(directory.resolve("export")).toString();
            String state = directory.resolve("state").toString();
            arguments.addAll(List.of("--export", export, "--state", state, "tcp://127.0.0.1:0"));
        }
        try (ProgramRun run =
                ProgramRun.start(
                        PeerMain.class,
                        List.of("-Djava.io.tmpdir=" + directory),
                        arguments.toArray(String[]::new))) {
            run.awaitLine(said -> said.startsWith("ready "));
            run.process().getOutputStream().close();
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "10 processes")
    void aMeasurementPrintsARowForEachComparison() {
        CommandRun run =
                run(
                        "perf",
                        "--method",
                        "tcp",
                        "--row",
                        "8 clients",
                        "--seconds",
                        "1",
                        "--rounds",
                        "1",
                        "--warm-up",
                        "0",
                        "--mib",
                        "16");
        assertThat(run.err()).contains("get_attr, 8 clients, load");
        assertThat(run.status()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(2)).startsWith("| tcp | 4 KiB random reads").contains(" /s |");
        assertThat(lines.get(3)).startsWith("| tcp | get_attr").contains(">= 0.60 x BMI RPC");
    }
}
