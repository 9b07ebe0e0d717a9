package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.KillPeer.Step;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Processes that are killed in the middle of calls: everything ends, and memory comes back. */
@Timeout(3_000)
class DeathsTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    // Two methods and two victims: 200 in all; and the daemon.
    private static final int ROUNDS = Integer.getInteger("rounds", LONG ? 50 : 1);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Set<ErrorCode> LOSSES =
            Set.of(ErrorCode.EPIPE, ErrorCode.ECONNRESET, ErrorCode.EHOSTDOWN);

    @TempDir private Path folder;

    private SplittableRandom random() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("DeathsTest: -Dseed=" + seed);
        return new SplittableRandom(seed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zoid", "tcp"})
    void aClientIsKilledInACall(String method) throws Exception {
        SplittableRandom random = random();
        try (Bmi bmi = KillPeer.listen(method, folder.resolve("z"))) {
            for (int round = 0; round < ROUNDS; round++) {
                Step step = Step.values()[random.nextInt(Step.values().length)];
                killClient(method, bmi, step);
            }
        }
    }

    private void killClient(String method, Bmi bmi, Step step) throws Exception {
        CompletableFuture<Process> victim = new CompletableFuture<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (ShipperServer server =
                Shipper.builder(bmi).knob("shipper.chunkBytes", "64k").server()) {
            server.register(
                    "die",
                    Move.class,
                    Bytes.class,
                    call -> killed(call, step, victim.get(30, TimeUnit.SECONDS), seen));
            server.start();
            Process process = start("client", method, KillPeer.address(method, bmi));
            victim.complete(process);
            String outcome = seen.get(60, TimeUnit.SECONDS);
            process.waitFor();
            assertThat(outcome)
                    .as("%s", step)
                    .isIn("answered", "abandoned", "ECANCEL", "EPIPE", "ECONNRESET", "EHOSTDOWN");
            untilZero(bmi, "shipper.server.sessions");
            untilZero(bmi, "shipper.server.leasedBytes");
            untilZero(bmi, "shipper.server.heldBytes");
        }
        untilZero(bmi, "bmi.operations");
    }

    private static Bytes killed(
            Call<Move, Bytes> call, Step step, Process victim, CompletableFuture<String> seen)
            throws Exception {
        try {
            return kill(call, step, victim, seen);
        } catch (BmiException e) {
            seen.complete(e.code().name());
            throw e;
        }
    }

    private static Bytes kill(
            Call<Move, Bytes> call, Step step, Process victim, CompletableFuture<String> seen)
            throws Exception {
        Lease lease = call.lease(KillPeer.BYTES);
        List<MemorySegment> memory = List.of(lease.segment());
        BulkHandle data = call.input().data();
        switch (step) {
            case PULLING, PUSHING -> {
                Transfer transfer =
                        step == Step.PULLING
                                ? call.startPull(data, 0, memory, 0, KillPeer.BYTES)
                                : call.startPush(data, 0, memory, 0, KillPeer.BYTES);
                victim.destroyForcibly();
                transfer.await();
            }
            case DEFERRED -> {
                DeferredAnswer<Bytes> answer = call.defer();
                victim.destroyForcibly();
                while (!answer.isAbandoned()) {
                    Thread.onSpinWait();
                }
                seen.complete(answer.complete(new Bytes(new byte[1])) ? "answered" : "abandoned");
                return null;
            }
            default -> victim.destroyForcibly();
        }
        seen.complete("answered");
        return new Bytes(new byte[step == Step.LARGE_OUTPUT ? 8 << 20 : 1]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zoid", "tcp"})
    void aServerDiesInACall(String method) throws Exception {
        SplittableRandom random = random();
        Path place = folder.resolve("z");
        try (Bmi bmi = KillPeer.builder(method, place).open();
                Shipper client = Shipper.on(bmi)) {
            for (int round = 0; round < ROUNDS; round++) {
                Step step = Step.values()[random.nextInt(Step.values().length)];
                killServer(method, bmi, client, step);
            }
        }
    }

    private void killServer(String method, Bmi bmi, Shipper client, Step step) throws Exception {
        Process process = start("server", method, step.name());
        try {
            PeerAddress server = bmi.lookup(readyLine(process));
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            assertThat(echo.call(server, new Number(3), SOON)).isEqualTo(new Number(3));
            byte[] bytes = new byte[KillPeer.BYTES];
            ShippedCall<Bytes> call;
            try (BulkHandle data =
                    client.expose(MemorySegment.ofArray(bytes), Permission.READ_WRITE)) {
                call =
                        client.function("die", Move.class, Bytes.class)
                                .forward(server, new Move(data, 0, KillPeer.BYTES));
                assertThatThrownBy(() -> call.await(SOON))
                        .isInstanceOfSatisfying(
                                CallFailedException.class, e -> assertThat(e.code()).isIn(LOSSES));
            }
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            untilZero(bmi, "bmi.operations");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void theDaemonDiesInACall() throws Exception {
        SplittableRandom random = random();
        for (int round = 0; round < ROUNDS; round++) {
            killDaemon(
                    folder.resolve("d" + round),
                    Step.values()[random.nextInt(Step.values().length)]);
        }
    }

    private void killDaemon(Path place, Step step) throws Exception {
        Process daemon = startIn(place, "daemon", "zoid", "-");
        try {
            readyLine(daemon);
            CompletableFuture<String> seen = new CompletableFuture<>();
            try (Bmi serving =
                            KillPeer.builder("zoid", place)
                                    .knob("zoid.host", "daemon")
                                    .listen("zoid://")
                                    .open();
                    Bmi calling = KillPeer.builder("zoid", place).open();
                    ShipperServer server =
                            Shipper.builder(serving).knob("shipper.chunkBytes", "64k").server();
                    Shipper client = Shipper.on(calling)) {
                server.register(
                        "die", Move.class, Bytes.class, call -> killed(call, step, daemon, seen));
                server.start();
                BulkHandle data =
                        client.expose(
                                MemorySegment.ofArray(new byte[KillPeer.BYTES]),
                                Permission.READ_WRITE);
                ShippedCall<Bytes> call =
                        client.function("die", Move.class, Bytes.class)
                                .forward(calling.lookup("zoid://"), new Move(data, 0, 0));
                assertThatThrownBy(() -> call.await(SOON))
                        .as("%s", step)
                        .isInstanceOfSatisfying(
                                CallFailedException.class, e -> assertThat(e.code()).isIn(LOSSES));
                seen.get(30, TimeUnit.SECONDS);
                untilZero(serving, "shipper.server.sessions");
                untilZero(serving, "shipper.server.leasedBytes");
                untilZero(serving, "shipper.server.heldBytes");
                untilZero(calling, "bmi.operations");
            }
        } finally {
            daemon.destroyForcibly().waitFor();
        }
    }

    /** What stands behind the word ready. */
    private static String readyLine(Process process) throws IOException {
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = out.readLine();
        }
        assertThat(line).isNotNull();
        return line.substring("ready ".length());
    }

    private Process start(String... arguments) throws IOException {
        return startIn(folder.resolve("z"), arguments);
    }

    private static Process startIn(Path place, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KillPeer.class.getName(),
                        arguments[0],
                        arguments[1],
                        place.toString(),
                        arguments[2]));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void untilZero(Bmi bmi, String label) {
        Setup.until(
                label + " is 0",
                () -> {
                    bmi.counters(); // refreshes the gauges
                    return bmi.counters().find(label).get() == 0;
                });
    }
}
