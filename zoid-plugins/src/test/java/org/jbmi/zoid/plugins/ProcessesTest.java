package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoid.daemon.JobRun;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.plugins.barrier.BarrierClient;
import org.jbmi.zoid.plugins.test.TestClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Processes come and go, and plug-ins are told so. */
@Timeout(90)
class ProcessesTest {
    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void eachProcessIsToldOnceWhenItComesAndOnceWhenItGoes(String method) throws Exception {
        try (Server server = Server.of(method)) {
            Bmi bmi = server.clientBmi();
            int first;
            try (Zoid one = Server.describe(bmi).connect(server.address());
                    Zoid two = Server.describe(bmi).connect(server.address())) {
                first = one.processId();
                assertThat(two.processId()).isNotEqualTo(first);
                assertThat(new TestClient(one).process()).isEqualTo(first);
                assertThat(new TestClient(two).process()).isEqualTo(two.processId());
                assertThat(one.myRank()).isEqualTo(-1);
                assertThat(one.jobSize()).isEqualTo(-1);
                assertThat(server.told())
                        .containsExactlyInAnyOrder("proc 1 " + first, "proc 1 " + two.processId());
            }
            await(() -> server.daemon().processCount() == 0);
            assertThat(Collections.frequency(server.told(), "proc 0 " + first)).isOne();
            assertThat(server.told()).hasSize(4);
        }
    }

    @Test
    void aJobBeginsBeforeItsFirstProcessAndEndsAfterItsLast() throws Exception {
        try (Server server = Server.of("loopback")) {
            Zoid zero = server.client(0, 2, "job");
            Zoid one = server.client(1, 2, "job");
            assertThat(one.myRank()).isOne();
            assertThat(one.jobSize()).isEqualTo(2);
            zero.close();
            one.close();
            await(() -> server.told().contains("fini"));
            assertThat(server.told().getFirst()).isEqualTo("init 2 program");
            assertThat(server.told().getLast()).isEqualTo("fini");
            assertThat(server.told()).hasSize(6);
        }
    }

    @Test
    void oneThatHangsInAPluginDelaysNobody() throws Exception {
        try (Server server = Server.of("loopback")) {
            List<Zoid> hanging = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 40; i++) {
                    Zoid zoid = server.client();
                    hanging.add(zoid);
                    threads.submit(() -> new TestClient(zoid).wait_(3_600_000));
                }
                await(() -> Collections.frequency(server.told(), "waits") == 40);
                assertThat(new TestClient(server.client()).add(3, 4)).isEqualTo(7);
                hanging.forEach(Zoid::close);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid"})
    void aProcessThatIsKilledIsToldOnce(String method) throws Exception {
        try (Server server = Server.of(method)) {
            Process process = peer(method, server);
            try {
                String line = process.inputReader().readLine();
                assertThat(line).startsWith("here ");
                String number = line.substring(5);
                assertThat(server.told()).contains("proc 1 " + number);
                process.destroyForcibly().waitFor();
                await(() -> server.told().contains("proc 0 " + number));
                await(() -> server.daemon().processCount() == 0);
                assertThat(Collections.frequency(server.told(), "proc 0 " + number)).isOne();
                assertThat(new TestClient(server.client()).add(1, 1)).isEqualTo(2);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Process peer(String method, Server server) throws IOException {
        String folder = method.equals("zoid") ? server.folder().resolve("z").toString() : "";
        return ChildJvm.start(Peer.class, List.of(), server.address(), folder);
    }

    /** A process that connects, hangs in a call, and waits to be killed. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] args) {
            var builder = Bmi.builder();
            if (!args[1].isEmpty()) {
                builder.knob("zoid.runtimeDirectory", args[1]);
            }
            Zoid zoid = Server.describe(builder.open()).connect(args[0]);
            System.out.println("here " + zoid.processId());
            new TestClient(zoid).wait_(3_600_000);
        }
    }

    @Test
    void theProcessesOfAJobMeetAndAreToldWhenOneGoes() throws Exception {
        try (Server server = Server.of("loopback");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Zoid> ranks = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                ranks.add(server.client(rank, 3, "job"));
            }
            for (long round = 1; round <= 5; round++) {
                List<Future<Long>> met = new ArrayList<>();
                for (Zoid rank : ranks) {
                    met.add(threads.submit(() -> new BarrierClient(rank).wait_()));
                }
                for (var each : met) {
                    assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(round);
                }
            }
            var waits = threads.submit(() -> new BarrierClient(ranks.getFirst()).wait_());
            ranks.getLast().close();
            // Whether it waited already or not: without the one that has gone they never meet.
            assertThat(waits.get(60, TimeUnit.SECONDS)).isEqualTo(-32);
            assertThat(new BarrierClient(ranks.get(1)).wait_()).isEqualTo(-32);
            assertThat(new BarrierClient(server.client()).wait_()).isEqualTo(-3);
        }
    }

    /** A new round would wait for those who have gone. */
    @Test
    void whoComesAfterAnotherHasGoneDoesNotWaitForIt() throws Exception {
        try (Server server = Server.of("loopback");
                JobRun run =
                        new JobRun(
                                server.clientBmi(),
                                server.address(),
                                new JobRun.Wishes(
                                        1,
                                        0,
                                        List.of("/bin/sh", "-c", "echo $ZOID_JOB; exec sleep 600"),
                                        List.of(),
                                        null),
                                new PrintStream(printed, true),
                                System.err)) {
            Future<Integer> status = threads.submit(run::run);
            try {
                await(() -> printed.toString().endsWith("\n"));
                String job = printed.toString().strip();
                server.client(0, 2, job).close();
                await(() -> server.daemon().processCount() == 0);
                try (Zoid other = server.client(1, 2, job)) {
                    assertThat(new BarrierClient(other).wait_()).isEqualTo(-32);
                }
            } finally {
                run.stop();
            }
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(143);
        }
    }

    @Test
    void whoIsNotConnectedCallsNothing() throws Exception {
        try (Server server = Server.of("loopback")) {
            Zoid closed = server.client();
            closed.close();
            assertThatThrownBy(() -> new TestClient(closed).add(1, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("The client was closed.");
            Bmi bmi = server.clientBmi();
            server.daemon().close();
            // A server of calls, and not of ZOID.
            try (ShipperServer other = Shipper.builder(server.bmi()).server()) {
                other.start();
                assertThatThrownBy(() -> Server.describe(bmi).connect(server.address()))
                        .isInstanceOfSatisfying(
                                ZoidException.class,
                                e -> assertThat(e.error()).isEqualTo(ZoidError.ENOSYS));
            }
        }
    }

    @Test
    void aServerThatClosesEndsTheCallsOfItsClients() throws Exception {
        try (Server server = Server.of("loopback")) {
            Zoid zoid = server.client();
            // It waits for a server that is not there any more.
            Duration limit = Duration.ofMillis(500);
            Zoid hasty = server.client(Server.describe(server.clientBmi()).callTimeout(limit));
            assertThat(new TestClient(zoid).add(1, 1)).isEqualTo(2);
            server.daemon().close();
            assertThatThrownBy(() -> new TestClient(hasty).add(1, 1))
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e ->
                                    assertThat(e.error())
                                            .isIn(ZoidError.ECONNRESET, ZoidError.ETIMEDOUT));
            assertThat(server.told())
                    .contains("proc 0 " + zoid.processId(), "proc 0 " + hasty.processId());
        }
    }

    /** Waits for a fact, under the watchdog of the test. */
    private static void await(BooleanSupplier fact) throws InterruptedException {
        while (!fact.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }
}
