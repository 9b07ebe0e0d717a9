package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A server and its client. */
@Timeout(60)
class EndpointsTest {
    private static final long WAIT_NS = 1_000_000_000;
    private static final long LATE_NS = 200_000_000;
    private static final long LOOK_NS = 1_000_000;
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The processor time of a thread. */
    private static long cpuNs(String thread) {
        for (long id : THREADS.getAllThreadIds()) {
            String name =
                    Optional.ofNullable(THREADS.getThreadInfo(id))
                            .map(info -> info.getThreadName())
                            .orElse("");
            if (name.equals(thread)) {
                return THREADS.getThreadCpuTime(id);
            }
        }
        throw new AssertionError("There is no thread " + thread + ".");
    }

    /** Returns when a thread has spun for a while. */
    private static void letSpin(String thread, long ns) {
        long endNs = cpuNs(thread) + ns;
        while (cpuNs(thread) < endNs) {
            LockSupport.parkNanos(LOOK_NS); // it may need this processor
            assertThat(Thread.interrupted()).as("the watchdog's interrupt").isFalse();
        }
    }

    /** One thread of a server and one of a client, in one process. */
    private static WorkerPlan plan(String address, WaitMode wait, WorkerPlan.Cpus cpus) {
        return new WorkerPlan(WorkerPlan.Role.BOTH, address, wait, 1, 1, cpus, "", Map.of());
    }

    // Processes wait for each other twice. First, the server knows some of them already, and spins.
    // Then all know what it has spent; else one sends while another one still asks.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aServerIsChargedFromWhenAllClientsHaveAskedAndNoneHasSent(int waits) throws Exception {
        WorkerPlan plan = plan("loopback://spins", WaitMode.SPIN, WorkerPlan.Cpus.FREE);
        Phase phase = new Phase(Pattern.PINGPONG, 8, 1, 0, 0, 10, Phase.Options.NONE);
        try (Endpoint endpoint = Endpoints.open(plan, sentence -> {})) {
            AtomicInteger passes = new AtomicInteger();
            AtomicLong passedNs = new AtomicLong();
            PhaseResult result =
                    endpoint.run(
                            phase,
                            () -> {
                                if (passes.incrementAndGet() == waits) {
                                    letSpin("perf-server-0", WAIT_NS);
                                }
                                passedNs.set(System.nanoTime());
                            });
            assertThat(result.elapsedNs()).isLessThanOrEqualTo(System.nanoTime() - passedNs.get());
            assertThat(passes).hasValue(2);
            assertThat(result.exchanges()).isPositive();
            assertThat(result.costs().server().threadNs() < WAIT_NS).isEqualTo(waits == 1);
        }
    }

    // The time of a stream counts until then, so the share of its client does too.
    @Test
    void aStreamIsChargedUntilItsServerHasEverything() throws Exception {
        String address = "loopback://late";
        Phase phase =
                new Phase(
                        Pattern.STREAM, 8, 1, 0, 0, 0, new Phase.Options(false, false, true, true));
        LoopbackHub hub = new LoopbackHub();
        BmiBuilder spinning = Bmi.builder();
        WaitMode.SPIN.knobs().forEach(spinning::knob);
        try (Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = spinning.attach(LoopbackHub.class, hub).open();
                ClientThreads threads =
                        new ClientThreads(
                                List.of(client),
                                address,
                                WaitMode.SPIN,
                                1,
                                new CpuPin(CpuPin.ANYWHERE))) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            AtomicInteger passes = new AtomicInteger();
            FutureTask<PhaseResult> run =
                    new FutureTask<>(
                            () ->
                                    threads.run(
                                            phase,
                                            () -> {
                                                passes.incrementAndGet();
                                                while (passes.get() == 2) {
                                                    Thread.onSpinWait();
                                                }
                                            }));
            Thread.ofPlatform().daemon().start(run);
            while (passes.get() < 2 && !run.isDone()) {
                loop.round();
            }
            passes.incrementAndGet(); // the server rests, and the client begins
            // The one message of the client is sent, and it waits for the answer.
            letSpin("perf-client-0", LATE_NS);
            while (!run.isDone()) {
                loop.round();
            }
            assertThat(run.get().costs().client().threadNs()).isGreaterThan(LATE_NS / 2);
        }
    }

    // They would be most of what an idle client spends.
    @Test
    void noTestCallsAreTimedAfterAnIdlePhase() throws Exception {
        WorkerPlan plan = plan("loopback://idle", WaitMode.BLOCK, WorkerPlan.Cpus.FREE);
        Phase phase = new Phase(Pattern.IDLE, 8, 1, 0, 0, 1, Phase.Options.NONE);
        try (Endpoint endpoint = Endpoints.open(plan, sentence -> {})) {
            assertThat(endpoint.run(phase, () -> {}).costs().testCallNs()).isZero();
        }
    }

    private static String ownProcessors() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theThreadThatServesItselfRunsOnTheProcessorOfTheClient() throws Exception {
        String all = ownProcessors();
        Assumptions.assumeTrue(all.matches("0\\D.+"), "a thread can be kept on processor 0");
        WorkerPlan plan = plan("loopback://pinned", WaitMode.YIELD, new WorkerPlan.Cpus(0, 0));
        Phase phase = new Phase(Pattern.LOCAL, 8, 1, 0, 0, 1, Phase.Options.NONE);
        // A thread of its own, since it stays where it is put.
        FutureTask<List<String>> work =
                new FutureTask<>(
                        () -> {
                            try (Endpoint endpoint = Endpoints.open(plan, sentence -> {})) {
                                endpoint.run(phase, () -> {});
                                return List.of(ownProcessors());
                            }
                        });
        Thread.ofPlatform().daemon().start(work);
        assertThat(work.get()).containsExactly("0");
    }

    @Test
    void bothSidesInOneProcessHaveTheKnobs() {
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.BOTH,
                        "loopback://knobs",
                        WaitMode.BLOCK,
                        1,
                        1,
                        WorkerPlan.Cpus.FREE,
                        "",
                        Map.of("loopback.poolBytes", "5000"));
        assertThatThrownBy(() -> Endpoints.open(plan, sentence -> {}))
                .hasMessageStartingWith("The knob loopback.poolBytes");
    }
}
