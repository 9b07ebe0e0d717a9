package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The demo with daemon, server and clients in processes of their own. */
@Timeout(240)
class DaemonDemoTest extends DaemonDemoTestSupport {
    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "30 processes")
    @CsvSource({"5000000,4", "0,2", "1,1", "300000,16"})
    void shipsAFile(int size, int clients) throws Exception {
        ProgramRun run =
                demo(file(size).toString(), "--clients", Integer.toString(clients), "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(run.out()).hasSize(1);
        assertThat(lastLine(run)).matches(json(true, clients, size));
        assertThat(run.err())
                .filteredOn(line -> line.matches("client \\d+ \\(pid \\d+\\): ready"))
                .hasSize(clients);
    }

    @ParameterizedTest
    @CsvSource("300000,2")
    void shipsAFileWithoutADaemonAndRemovesWhatADeadDemoLeft(int size, int clients)
            throws Exception {
        FileAttribute<?> ownerOnly =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path dead = Files.createDirectory(temporary.resolve("bmi-private-1"), ownerOnly);
        Files.writeString(dead.resolve("lock"), "");
        Files.createDirectories(dead.resolve("files/deeper"));
        Path deadSegments = Files.createDirectory(segments.resolve("bmi-private-2"), ownerOnly);
        Files.writeString(deadSegments.resolve("lock"), "");
        Files.writeString(deadSegments.resolve("zbmi-1-1"), "left");
        ProgramRun run =
                demo(
                        file(size).toString(),
                        "--through",
                        "embedded",
                        "--clients",
                        Integer.toString(clients),
                        "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).matches(json(true, clients, size));
        assertThat(run.err()).noneMatch(line -> line.startsWith("daemon"));
        assertThat(dead).doesNotExist();
        assertThat(deadSegments).doesNotExist();
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "6 processes")
    @ValueSource(strings = {"embedded", "socket"})
    void shipsAnEmptyFileEachWay(String through) throws Exception {
        String[] words = {file(0).toString(), "--through", through, "--clients=2", "--json"};
        ProgramRun run = demo(words);
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).matches(json(true, 2, 0));
    }

    @ParameterizedTest
    @CsvSource("1000000,2")
    void shipsAFileThroughTheGatewayAndTheJournalReplays(int size, int clients) throws Exception {
        Path folder = sources.resolve("journal");
        ProgramRun run =
                demo(
                        file(size).toString(),
                        "--through=socket",
                        "--clients",
                        Integer.toString(clients),
                        "--json",
                        "--journal",
                        folder.toString());
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).matches(json(true, clients, size));
        replays(folder);
        assertThat(traceOf(folder)).isNotEmpty();
    }

    /** What a daemon takes by itself is {@code ring}, as in {@link #shipsAFile}. */
    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "10 processes")
    @ValueSource(strings = {"posix-mq", "chronicle"})
    void shipsAFileOverAChannelOfChoice(String channel) throws Exception {
        String file = file(300_000).toString();
        ProgramRun run = demo(file, "--channel", channel, "--clients=2", "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).matches(json(true, 2, 300_000));
    }

    /** This process has none of the flags. */
    @ParameterizedTest
    @ValueSource(strings = {"replay nowhere", "serve --channel=chronicle"})
    void withoutItsFlagsTheLibraryIsNotUsedAndTheySayWhichAreMissing(String what) throws Exception {
        CommandRun run = CommandRun.of(new ZbmiMain(), what.split(" "));
        assertThat(run.status()).as(run.transcript()).isEqualTo(1);
        assertThat(run.errLines())
                .anyMatch(line -> line.contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"));
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "5 processes")
    void aSmallFileSystemMakesThePoolSmaller() throws Exception {
        List<String> wrapper =
                List.of(
                        "unshare",
                        "--map-root-user",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o size=48m tmpfs \"$0\" && exec \"$@\"",
                        segments.toString());
        Assumptions.assumeTrue(canMount(wrapper), "mounting needs rights that are missing here");
        ProgramRun run = demo(wrapper, file(20_000_000).toString(), "--clients=2");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(run.out())
                .anyMatch(
                        line ->
                                line.contains("has no room for a pool of 128.0 MiB")
                                        && line.endsWith("so the pool has 32.0 MiB."));
        assertThat(lastLine(run)).endsWith("every SHA-256 is equal.");
    }

    private static boolean canMount(List<String> wrapper) throws InterruptedException {
        List<String> command = new ArrayList<>(wrapper);
        command.add("true");
        try {
            Process process = new ProcessBuilder(command).start();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "3 processes")
    void theDirectoryForTemporaryFilesMayHaveALongName() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("long".repeat(30)));
        ProgramRun run =
                demo(
                        List.of(),
                        directory,
                        file(5000).toString(),
                        "--through=embedded",
                        "--clients=1");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        Files.delete(directory);
    }

    @Test
    void aMissingDirectoryForTemporaryFilesIsASentence() throws Exception {
        ProgramRun run = demo(List.of(), temporary.resolve("none"), file(10).toString(), "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
        assertThat(run.err().getLast())
                .matches("bmi demo: java\\.io\\.tmpdir names .*none, which is no directory\\.");
        assertThat(run.out()).singleElement().asString().matches(json(false, 4, 10));
    }

    @Test
    void aMissingSegmentDirectoryIsNamedWithItsKnob() throws Exception {
        Files.delete(segments);
        ProgramRun run = demo(file(10).toString());
        int status = run.awaitEnd();
        Files.createDirectory(segments);
        assertThat(status).as(run.transcript()).isEqualTo(1);
        assertThat(run.err().getLast())
                .isEqualTo(
                        "bmi demo: zbmi.segmentDirectory names %s, which is no directory."
                                .formatted(segments));
    }

    @Test
    void aWrongKnobInTheEnvironmentIsASentence() throws Exception {
        ProgramRun run =
                demo(List.of("env", "JBMI_ZBMI_MAX_CLIENTS=many"), file(10).toString(), "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
        assertThat(run.err()).hasSize(1);
        assertThat(run.err().getFirst())
                .contains("zbmi.maxClients")
                .contains("JBMI_ZBMI_MAX_CLIENTS")
                .contains("\"many\"");
        assertThat(run.out()).singleElement().asString().matches(json(false, 4, 10));
    }
}
