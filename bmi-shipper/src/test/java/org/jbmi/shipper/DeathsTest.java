package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.KillPeer.Step;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Die;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.testsuite.support.ChildJvm;
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

    /** Steps whose end a handler is told of, and what it is told. */
    private static final Set<Step> TOLD = Set.of(Step.PULLING, Step.PUSHING, Step.DEFERRED);

    /** Steps in which the death begins in another thread than the call. */
    private static final Set<Step> WATCHED = Set.of(Step.INPUT, Step.OUTPUT, Step.ANSWERED);

    private static final Set<String> ENDS =
            Set.of("moved", "abandoned", "ECANCEL", "EPIPE", "ECONNRESET", "EHOSTDOWN");
    private static final BulkHandle NO_HANDLE =
            new BulkHandle(
                    new BulkHandle.Token(0, 0), new BulkHandle.Token(0, 0), 0, 0, Permission.READ);

    @TempDir private Path folder;

    /** Every step in turn, from a random one on. */
    private static List<Step> steps() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("DeathsTest: -Dseed=" + seed);
        List<Step> all = List.of(Step.values());
        int first = new SplittableRandom(seed).nextInt(all.size());
        List<Step> steps = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            steps.add(all.get((first + round) % all.size()));
        }
        return steps;
    }

    @ParameterizedTest
    @ValueSource(strings = {"zoid", "tcp"})
    void aClientIsKilledInACall(String method) throws Exception {
        Path place = folder.resolve("z");
        try (Bmi bmi = KillPeer.listen(method, place);
                Bmi other = KillPeer.builder(method, place).open();
                Shipper innocent = Shipper.on(other)) {
            for (Step step : steps()) {
                killClient(method, bmi, step, other, innocent);
                untilZero(bmi, "bmi.operations");
            }
        }
    }

    private void killClient(String method, Bmi bmi, Step step, Bmi other, Shipper innocent)
            throws Exception {
        CompletableFuture<Process> victim = new CompletableFuture<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        Runnable kill = () -> victim.join().destroyForcibly();
        String address = KillPeer.address(method, bmi);
        try (ShipperServer server =
                Shipper.builder(bmi).knob("shipper.chunkBytes", "64k").server()) {
            server.register("echo", Number.class, Number.class, Call::input);
            server.register(
                    "die",
                    Die.class,
                    Bytes.class,
                    call -> KillPeer.dieIn(step, call, kill, seen::complete));
            KillPeer.watch(step, bmi, kill);
            if (step != Step.HELLO) {
                server.start();
            }
            Process process = start("client", method, address, step.name());
            victim.complete(process);
            if (step == Step.HELLO) {
                readyLine(process);
                kill.run();
            }
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s", step).isTrue();
            server.start();
            PeerAddress here = other.lookup(address);
            assertThat(
                            innocent.function("echo", Number.class, Number.class)
                                    .call(here, new Number(5), SOON))
                    .isEqualTo(new Number(5));
            if (TOLD.contains(step)) {
                assertThat(seen.get(30, TimeUnit.SECONDS)).as("%s", step).isIn(ENDS);
            }
            Setup.until("no call is left of " + step, () -> server.underWay().isEmpty());
            untilEqual(bmi, "shipper.server.sessions", 1);
            untilZero(bmi, "shipper.server.leasedBytes");
            untilZero(bmi, "shipper.server.heldBytes");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zoid", "tcp"})
    void aServerDiesInACall(String method) throws Exception {
        Path place = folder.resolve("z");
        try (Bmi bmi = KillPeer.builder(method, place).open();
                Shipper client = Shipper.on(bmi)) {
            for (Step step : steps()) {
                killServer(method, bmi, client, step);
            }
        }
    }

    private void killServer(String method, Bmi bmi, Shipper client, Step step) throws Exception {
        Process process = start("server", method, step.name());
        try {
            PeerAddress server = bmi.lookup(readyLine(process));
            if (step != Step.HELLO) {
                assertThat(
                                client.function("echo", Number.class, Number.class)
                                        .call(server, new Number(3), SOON))
                        .isEqualTo(new Number(3));
            }
            assertThat(callUntilItFails(client, server, step)).as("%s", step).isIn(LOSSES);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            untilZero(bmi, "bmi.operations");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The call in which somebody dies; a death that somebody watches for may come after it. */
    private static ErrorCode callUntilItFails(Shipper client, PeerAddress server, Step step) {
        RemoteFunction<Die, Bytes> die = client.function("die", Die.class, Bytes.class);
        byte[] bytes = new byte[KillPeer.BYTES];
        try (BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.READ_WRITE)) {
            ShippedCall<Bytes> call;
            do {
                call = die.forward(server, new Die(data, KillPeer.load(step)));
                call.await(SOON);
            } while (WATCHED.contains(step));
            throw new AssertionError("The call in which somebody dies succeeded: " + step);
        } catch (CallFailedException e) {
            return e.code();
        }
    }

    @Test
    void theDaemonDiesInACall() throws Exception {
        int round = 0;
        for (Step step : steps()) {
            killDaemon(folder.resolve("d" + round++), step);
        }
    }

    private void killDaemon(Path place, Step step) throws Exception {
        Process daemon = startIn(place, "daemon", "zoid");
        Runnable kill = daemon::destroyForcibly;
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
                        "die",
                        Die.class,
                        Bytes.class,
                        call -> KillPeer.dieIn(step, call, kill, seen::complete));
                KillPeer.watch(step, serving, kill);
                PeerAddress here = calling.lookup("zoid://");
                if (step == Step.HELLO) {
                    ShippedCall<Bytes> call =
                            client.function("die", Die.class, Bytes.class)
                                    .forward(here, new Die(NO_HANDLE, new byte[1]));
                    kill.run();
                    assertThatThrownBy(() -> call.await(SOON))
                            .isInstanceOfSatisfying(
                                    CallFailedException.class,
                                    e -> assertThat(e.code()).isIn(LOSSES));
                } else {
                    server.start();
                    assertThat(callUntilItFails(client, here, step)).as("%s", step).isIn(LOSSES);
                }
                if (TOLD.contains(step)) {
                    assertThat(seen.get(30, TimeUnit.SECONDS)).as("%s", step).isIn(ENDS);
                }
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
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add(2, place.toString());
        return ChildJvm.start(KillPeer.class, List.of("-Xmx256m"), words.toArray(String[]::new));
    }

    private static void untilZero(Bmi bmi, String label) {
        untilEqual(bmi, label, 0);
    }

    private static void untilEqual(Bmi bmi, String label, long value) {
        Setup.until(
                label + " is " + value,
                () -> {
                    bmi.counters(); // refreshes the gauges
                    return bmi.counters().find(label).get() == value;
                });
    }
}
