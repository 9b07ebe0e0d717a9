package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the commands show of a host, be it a daemon or a server. */
@Timeout(240)
class HostCommandsTest extends DaemonRuns {
    private static final String DIRECTORY = "jbmi.zoid.runtimeDirectory";

    private Bmi hostingServer(String host) throws IOException {
        return Bmi.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zoid.host", host)
                .knob("zbmi.totalBytes", "16m")
                .knob("zbmi.segmentDirectory", segments().toString())
                .listen("zoid://")
                .open();
    }

    private Bmi client() {
        return Bmi.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .open();
    }

    @ParameterizedTest
    @ValueSource(strings = "direct")
    void aServerThatHostsTheEngineIsSeenByTheSameCommands(String host) throws Exception {
        if (host.equals("direct")) {
            serve();
        }
        try (Bmi server = hostingServer(host);
                Bmi client = client();
                CompletionContext context = client.openContext()) {
            PeerAddress peer = client.lookup("zoid://");
            context.postReceive(peer, MemorySegment.ofArray(new byte[3000]), 77);
            CommandRun ops = look("ops");
            assertThat(ops.status()).as(ops.transcript()).isZero();
            assertThat(ops.outLines().get(1))
                    .contains("receive", "77", "no send was posted for it");
            assertThat(ops.outLines().getLast()).isEqualTo("1 operation");
            greetAsNobodyDoes(host.equals("direct") ? "server.sock" : "daemon.sock");
            CommandRun errors = look("errors");
            assertThat(errors.status()).as(errors.transcript()).isZero();
            assertThat(errors.outLines()).hasSize(2);
            assertThat(errors.outLines().getLast()).contains("is not the zbmi protocol");
            CommandRun counters = stat("--counters");
            assertThat(counters.status()).isZero();
            assertThat(counters.outLines())
                    .anyMatch(line -> line.matches("zbmi.host.direct: +1 .*"));
            assertThat(info())
                    .contains("\"host\":\"" + host + "\"")
                    .contains("\"serverPid\":" + ProcessHandle.current().pid());
            assertThat(server.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "4 processes")
    @ValueSource(strings = "embedded")
    void aServerThatHostsItsOwnEngineIsSeenByThemToo(String host) throws Exception {
        aServerThatHostsTheEngineIsSeenByTheSameCommands(host);
    }

    private void greetAsNobodyDoes(String socket) throws Exception {
        Path path = directory.resolve("run").resolve(socket);
        try (SocketChannel stranger = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            stranger.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8)));
            assertThat(stranger.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    private String info() {
        String run = directory.resolve("run").toString();
        CommandRun info = CommandRun.withProperty(DIRECTORY, run, new BmiMain(), "info", "--json");
        assertThat(info.status()).as(info.transcript()).isZero();
        return info.outLines().getFirst();
    }

    @Test
    void infoSaysWhoServes() throws Exception {
        assertThat(info()).contains("\"host\":\"none\"", "\"hostPid\":0,\"serverPid\":0");
        ProgramRun daemon = serve();
        String hosted = "\"host\":\"daemon\",\"hostPid\":" + daemon.process().pid();
        assertThat(info()).contains(hosted + ",\"serverPid\":0");
        try (Bmi server = hostingServer("daemon")) {
            assertThat(info()).contains(hosted + ",\"serverPid\":" + ProcessHandle.current().pid());
            assertThat(server.isClosed()).isFalse();
        }
        daemon.process().toHandle().destroyForcibly();
        daemon.awaitEnd();
        assertThat(info()).contains("\"host\":\"none\"");
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "5 processes")
    @ValueSource(booleans = false)
    void whatADirectServerCountedAndSawOutlivesItsClose(boolean isKilled) throws Exception {
        whatADirectServerCountedAndSawOutlivesIt(isKilled);
    }

    @ParameterizedTest
    @ValueSource(booleans = true)
    void whatADirectServerCountedAndSawOutlivesIt(boolean isKilled) throws Exception {
        serve();
        Map<String, Long> before = new LinkedHashMap<>();
        if (isKilled) {
            ProgramRun server = directServer();
            server.awaitLine(line -> line.equals("ready"));
            askAndDamage();
            before.putAll(totals(statWith("Plugin 6 messages received: 3")));
            server.process().toHandle().destroyForcibly();
            server.awaitEnd();
        } else {
            try (Bmi server = hostingServer("direct")) {
                askAndDamage();
                before.putAll(totals(statWith("Plugin 6 messages received: 3")));
                assertThat(server.isClosed()).isFalse();
            }
        }
        Path counters = directory.resolve("run/server.counters");
        long deadlineNs = System.nanoTime() + 20_000_000_000L;
        while (Files.exists(counters) && System.nanoTime() < deadlineNs) {
            Thread.sleep(2);
        }
        assertThat(counters).doesNotExist();
        assertThat(directory.resolve("run/server.errors")).doesNotExist();
        assertThat(before.get("Plugin 6 messages received")).isEqualTo(3);
        assertThat(totals(stat()))
                .allSatisfy((label, n) -> assertThat(n).isGreaterThanOrEqualTo(before.get(label)))
                .containsEntry("Plugin 6 messages received", 3L);
        CommandRun errors = look("errors");
        assertThat(errors.status()).isZero();
        assertThat(errors.transcript()).contains("is not the zbmi protocol");
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "ten seconds")
    void aStoppedHostIsSeenThroughItsSharedMemory() throws Exception {
        ProgramRun daemon = serve();
        try (Bmi client = client();
                CompletionContext context = client.openContext()) {
            PeerAddress peer = client.lookup("zoid://");
            for (int i = 0; i < 3; i++) {
                context.postReceive(peer, MemorySegment.ofArray(new byte[3000]), i);
            }
            CommandRun asked = look("ops", "--json");
            assertThat(asked.status()).as(asked.transcript()).isZero();
            String holder =
                    "{\"holder\":\"client 1\",\"pid\":%d,\"state\":\"runs\",\"operations\":3"
                            .formatted(ProcessHandle.current().pid());
            assertThat(asked.outLines().getLast()).contains("\"answered\":true", holder);

            signal("STOP", daemon.process().pid());
            try {
                CommandRun ops = look("ops");
                assertThat(ops.status()).as(ops.transcript()).isZero();
                assertThat(ops.transcript()).contains("does not answer", "bmi doctor");
                assertThat(ops.outLines().get(1)).contains("client 1", " 3 ", "runs");
                CommandRun holders = look("ops", "--holders", "--json");
                assertThat(holders.status()).isZero();
                assertThat(holders.outLines().getLast()).contains("\"answered\":false", holder);
            } finally {
                signal("CONT", daemon.process().pid());
            }
        }
    }

    private void askAndDamage() throws Exception {
        try (Bmi client = client();
                CompletionContext context = client.openContext()) {
            PeerAddress peer = client.lookup("zoid://");
            for (int i = 0; i < 3; i++) {
                MemorySegment request = MemorySegment.ofArray(new byte[8]);
                context.await(context.postSendUnexpected(peer, request, i), 10_000);
            }
        }
        greetAsNobodyDoes("server.sock");
    }

    private static Map<String, Long> totals(CommandRun stat) {
        assertThat(stat.status()).as(stat.transcript()).isZero();
        Map<String, Long> totals = new LinkedHashMap<>();
        for (String line : stat.outLines().subList(1, stat.outLines().size())) {
            String label = line.substring(0, line.indexOf(':'));
            totals.put(label, Long.parseLong(line.substring(32).strip()));
        }
        return totals;
    }

    private ProgramRun directServer() throws IOException {
        ProgramRun run =
                ProgramRun.start(
                        LoneServer.class, List.of(), directory.resolve("run").toString(), "direct");
        runs.add(run);
        return run;
    }
}
