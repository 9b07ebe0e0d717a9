package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The daemon as a process, and its counters from outside. */
@Timeout(240)
class DaemonCommandsTest extends DaemonRuns {
    private static final List<String> LABELS =
            List.of(
                    "Timestamp",
                    "Total messages sent",
                    "Total bytes sent",
                    "Total messages received",
                    "Total bytes received",
                    "IP fwd messages sent",
                    "IP fwd bytes sent",
                    "IP fwd messages received",
                    "IP fwd bytes received",
                    "Stream messages sent",
                    "Stream bytes sent",
                    "Stream messages received",
                    "Stream bytes received",
                    "Broadcast messages sent",
                    "Broadcast bytes sent",
                    "Internal messages sent",
                    "Internal bytes sent",
                    "Internal messages received",
                    "Internal bytes received",
                    "Plugin 6 messages sent",
                    "Plugin 6 bytes sent",
                    "Plugin 6 messages received",
                    "Plugin 6 bytes received");

    @Test
    void servesUntilSigterm() throws Exception {
        ProgramRun daemon = serve();
        assertThat(daemon.out()).hasSize(1);
        assertThat(daemon.out().getFirst())
                .isEqualTo(
                        "zbmi: daemon %d is ready in %s with a pool of 16.0 MiB."
                                .formatted(daemon.process().pid(), directory.resolve("run")));
        assertThat(list(segments())).hasSize(1);
        daemon.process().toHandle().destroy();
        assertThat(daemon.awaitEnd()).as(daemon.transcript()).isZero();
        assertThat(daemon.err()).isEmpty();
        assertThat(list(segments())).isEmpty();
        assertThat(directory.resolve("run/daemon.sock")).doesNotExist();
        assertThat(directory.resolve("run/counters")).doesNotExist();
    }

    /** An unset variable of a shell would be one; it would mean the current folder. */
    @Test
    void anEmptyPathIsRefused() {
        String runtime = directory.resolve("run").toString();
        String[] serve = {"serve", "--runtime-directory", runtime};
        assertIsRefused("--runtime-directory", "serve", "--runtime-directory", "");
        assertIsRefused("--runtime-directory", "stat", "--runtime-directory=");
        for (String knob : List.of("zbmi.segmentDirectory", "zoid.runtimeDirectory")) {
            assertIsRefused(knob, serve[0], serve[1], serve[2], "--knob", knob + "=");
        }
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void aDirectoryForSegmentsThatIsNotThereIsSaidInOneLine() {
        CommandRun daemon =
                look("serve", "--knob", "zbmi.segmentDirectory=" + directory.resolve("nowhere"));
        assertThat(daemon.status()).as(daemon.transcript()).isEqualTo(1);
        assertThat(daemon.errLines()).hasSize(1);
        assertThat(daemon.errLines().getFirst()).startsWith("zbmi serve: ").contains("nowhere");
    }

    /** The system says of /proc/x only that it is not there. */
    @Test
    void aFolderThatTakesNoOtherIsNamed() {
        CommandRun daemon =
                CommandRun.of(new ZbmiMain(), "serve", "--runtime-directory", "/proc/x");
        assertThat(daemon.status()).as(daemon.transcript()).isEqualTo(1);
        assertThat(daemon.err()).contains("directory /proc/x: /proc takes no new folder.");
    }

    @Test
    void aWrongKnobOfTheCommandLineIsSaidToBeThere() {
        assertIsRefused(
                "zbmi.gatewayPort (set by --knob)", "serve", "--knob=zbmi.gatewayPort=99999");
    }

    private static void assertIsRefused(String name, String... args) {
        CommandRun run = CommandRun.of(new ZbmiMain(), args);
        assertThat(run.status()).as(run.transcript()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).contains(name);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aSecondDaemonIsRefused() throws Exception {
        ProgramRun first = serve();
        ProgramRun second =
                zbmi("serve", "--runtime-directory", directory.resolve("run").toString());
        assertThat(second.awaitEnd()).isEqualTo(1);
        assertThat(second.err()).hasSize(1);
        assertThat(second.err().getFirst())
                .startsWith("zbmi serve: ")
                .contains(Long.toString(first.process().pid()));
    }

    @Test
    void aSegmentThatDoesNotFitIsRefused() {
        CommandRun daemon = look("serve", "--knob", "zbmi.totalBytes=120g");
        assertThat(daemon.status()).as(daemon.transcript()).isEqualTo(1);
        assertThat(daemon.errLines()).hasSize(1);
        assertThat(daemon.errLines().getFirst())
                .startsWith("zbmi serve: ")
                .contains("cannot reserve")
                .contains("zbmi.totalBytes");
    }

    @Test
    void aDirectoryThatIsOpenToOthersIsRefused() throws Exception {
        Path open = Files.createDirectory(directory.resolve("run"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        CommandRun daemon = look("serve");
        assertThat(daemon.status()).isEqualTo(1);
        assertThat(daemon.errLines()).hasSize(1);
        assertThat(daemon.errLines().getFirst()).contains("0700");
    }

    @Test
    void statNeedsADaemon() throws Exception {
        CommandRun stat = stat();
        assertThat(stat.status()).isEqualTo(1);
        assertThat(stat.errLines())
                .containsExactly(
                        "zbmi stat: No zoid daemon or server is running in "
                                + directory.resolve("run")
                                + "; 'zbmi serve' starts a daemon.");
    }

    @Test
    void countersOfAKilledDaemonAreNotShown() throws Exception {
        ProgramRun daemon = serve();
        daemon.process().toHandle().destroyForcibly();
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        assertThat(directory.resolve("run/counters")).exists();
        assertThat(stat().status()).isEqualTo(1);
        serve();
        assertThat(list(segments())).hasSize(1);
        assertThat(stat().status()).isZero();
    }

    @Test
    void statHasTheLayoutOfStatqueryAndItsTotalsAreTheSums() throws Exception {
        serve();
        exchange(100);
        CommandRun stat =
                statWith(
                        "Plugin 6 messages sent: 100",
                        "Plugin 6 bytes sent: 500000",
                        "Plugin 6 messages received: 100",
                        "Plugin 6 bytes received: 800");
        assertThat(stat.status()).as(stat.transcript()).isZero();
        assertThat(stat.outLines()).hasSameSizeAs(LABELS);
        Map<String, Long> values = new LinkedHashMap<>();
        for (int i = 0; i < LABELS.size(); i++) {
            String line = stat.outLines().get(i);
            assertThat(line.substring(0, 32).stripTrailing()).isEqualTo(LABELS.get(i) + ":");
            if (i == 0) {
                assertThat(line.substring(32)).matches("\\d{10,}\\.\\d{6}");
            } else {
                values.put(LABELS.get(i), Long.parseUnsignedLong(line.substring(32)));
            }
        }
        for (String what :
                List.of("messages sent", "bytes sent", "messages received", "bytes received")) {
            long sum = 0;
            for (Map.Entry<String, Long> value : values.entrySet()) {
                boolean total = value.getKey().startsWith("Total");
                sum += !total && value.getKey().endsWith(what) ? value.getValue() : 0;
            }
            assertThat(values.get("Total " + what)).as(what).isEqualTo(sum);
        }
        // From the client: 100 requests of 8 bytes. To the client: 100 answers of 5000 bytes.
        assertThat(values.get("Plugin 6 messages received")).isEqualTo(100);
        assertThat(values.get("Plugin 6 bytes received")).isEqualTo(800);
        assertThat(values.get("Plugin 6 messages sent")).isEqualTo(100);
        assertThat(values.get("Plugin 6 bytes sent")).isEqualTo(500_000);

        CommandRun every = stat("--counters");
        assertThat(every.status()).isZero();
        assertThat(every.outLines()).hasSizeGreaterThan(10);
        assertThat(every.outLines()).allMatch(line -> line.matches("zbmi\\.[\\w.]+: +\\d+ \\w+"));
    }

    @Test
    void statRepeatsUntilTheDaemonEnds() throws Exception {
        ProgramRun daemon = serve();
        ProgramRun stat = zbmi(lookLine("stat", "1"));
        stat.awaitLine(
                line ->
                        stat.out().stream().filter(each -> each.startsWith("Timestamp:")).count()
                                > 1);
        daemon.process().toHandle().destroy();
        assertThat(daemon.awaitEnd()).isZero();
        assertThat(stat.awaitEnd()).as(stat.transcript()).isEqualTo(1);
        assertThat(stat.out())
                .filteredOn(line -> line.startsWith("Timestamp:"))
                .hasSizeGreaterThan(1);
        assertThat(stat.err()).hasSize(1);
    }

    @Test
    void opsSaysWhatWaitsForWhat() throws Exception {
        serve();
        String runtime = directory.resolve("run").toString();
        try (Bmi server =
                        Bmi.builder()
                                .knob("zoid.runtimeDirectory", runtime)
                                .listen("zoid://")
                                .open();
                Bmi client = Bmi.builder().knob("zoid.runtimeDirectory", runtime).open();
                CompletionContext context = client.openContext()) {
            PeerAddress peer = client.lookup("zoid://");
            context.postReceive(peer, MemorySegment.ofArray(new byte[3000]), 77);
            CommandRun text = look("ops");
            assertThat(text.status()).as(text.transcript()).isZero();
            assertThat(text.outLines()).hasSize(3);
            assertThat(text.outLines().get(1))
                    .containsSubsequence(
                            "client 1",
                            Long.toString(ProcessHandle.current().pid()),
                            "server",
                            "receive",
                            "77",
                            "2.9 KiB",
                            "no send was posted for it");
            assertThat(text.outLines().getLast()).isEqualTo("1 operation");
            context.postSend(peer, MemorySegment.ofArray(new byte[5]), 78);
            CommandRun json = look("ops", "--json");
            assertThat(json.status()).as(json.transcript()).isZero();
            assertThat(json.outLines()).hasSize(1);
            assertThat(json.outLines().getFirst())
                    .startsWith("{\"operations\":[{")
                    .contains("\"tag\":77", "\"tag\":78", "NO_RECEIVE", "NO_SEND");
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void opsAndErrorsNeedADaemon() throws Exception {
        for (String command : List.of("ops", "errors")) {
            CommandRun run = look(command);
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.errLines()).hasSize(1);
            assertThat(run.errLines().getFirst())
                    .startsWith("zbmi " + command + ": No zoid daemon");
        }
    }

    @Test
    void errorsAreThereAfterTheDaemonWasKilled() throws Exception {
        ProgramRun daemon = serve();
        String runtime = directory.resolve("run").toString();
        try (Bmi server =
                        Bmi.builder()
                                .knob("zoid.runtimeDirectory", runtime)
                                .listen("zoid://")
                                .open();
                ProgramRun second = zbmi("serve", "--runtime-directory", runtime)) {
            assertThat(second.awaitEnd()).isEqualTo(1);
            assertThatThrownBy(
                            () ->
                                    Bmi.builder()
                                            .knob("zoid.runtimeDirectory", runtime)
                                            .listen("zoid://")
                                            .open()
                                            .close())
                    .hasMessageContaining("has a server already");
            assertThat(server.isClosed()).isFalse();
        }
        daemon.process().toHandle().destroyForcibly();
        daemon.awaitEnd();
        CommandRun text = look("errors");
        assertThat(text.status()).as(text.transcript()).isZero();
        assertThat(text.outLines()).hasSize(2);
        assertThat(text.outLines().getLast())
                .matches("\\S+Z  \\S+Z  +1  Refused a peer: .*server already.*");
        CommandRun json = look("errors", "--json");
        assertThat(json.status()).isZero();
        assertThat(json.outLines().getFirst()).contains("\"count\":1,\"text\":\"Refused a peer: ");
        serve();
        assertThat(look("errors").status()).isZero();
    }

    private void exchange(int rounds) {
        String runtime = directory.resolve("run").toString();
        try (Bmi server =
                        Bmi.builder()
                                .knob("zoid.runtimeDirectory", runtime)
                                .knob("zoid.host", "daemon")
                                .listen("zoid://")
                                .open();
                CompletionContext answers = server.openContext();
                Bmi client = Bmi.builder().knob("zoid.runtimeDirectory", runtime).open();
                CompletionContext context = client.openContext()) {
            PeerAddress peer = client.lookup("zoid://");
            MemorySegment request = MemorySegment.ofArray(new byte[8]);
            MemorySegment reply = MemorySegment.ofArray(new byte[5000]);
            UnexpectedMessages requests = UnexpectedMessages.ofCapacity(1);
            for (int i = 0; i < rounds; i++) {
                long receive = context.postReceive(peer, reply, i);
                context.await(context.postSendUnexpected(peer, request, i), 10_000);
                assertThat(server.testUnexpected(requests, 10_000)).isEqualTo(1);
                PeerAddress asker = requests.peer(0);
                MemorySegment block = asker.allocate(5000);
                assertThat(block).isNotNull();
                long sent = answers.postSend(asker, block.asSlice(0, 5000), requests.tag(0));
                requests.free(0);
                assertThat(context.await(receive, 10_000)).isEqualTo(5000);
                answers.await(sent, 10_000);
                server.free(block);
            }
        }
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> found = Files.list(directory)) {
            return found.toList();
        }
    }
}
