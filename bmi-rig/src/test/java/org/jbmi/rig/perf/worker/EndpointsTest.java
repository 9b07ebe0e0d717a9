package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;

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

/** A server and its client. */
@Timeout(60)
class EndpointsTest {
    private static final long WAIT_NS = 1_000_000_000;
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The processor time of the server's thread. */
    private static long serverNs() {
        for (long id : THREADS.getAllThreadIds()) {
            String name =
                    Optional.ofNullable(THREADS.getThreadInfo(id))
                            .map(info -> info.getThreadName())
                            .orElse("");
            if (name.equals("perf-server-0")) {
                return THREADS.getThreadCpuTime(id);
            }
        }
        throw new AssertionError("There is no server.");
    }

    /** Returns when the server's thread has spun for a while. */
    private static void letTheServerSpin() {
        long endNs = serverNs() + WAIT_NS;
        while (serverNs() < endNs) {
            Thread.onSpinWait();
        }
    }

    // Processes wait for each other twice. First, the server knows some of them already, and spins.
    // Then all know what it has spent; else one sends while another one still asks.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aServerIsChargedFromWhenAllClientsHaveAskedAndNoneHasSent(int waits) throws Exception {
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.BOTH,
                        "loopback://spins",
                        WaitMode.SPIN,
                        1,
                        1,
                        WorkerPlan.Cpus.FREE,
                        "",
                        Map.of());
        Phase phase = new Phase(Pattern.PINGPONG, 8, 1, 0, 0, 10, Phase.Options.NONE);
        try (Endpoint endpoint = Endpoints.open(plan, sentence -> {})) {
            AtomicInteger passes = new AtomicInteger();
            AtomicLong passedNs = new AtomicLong();
            PhaseResult result =
                    endpoint.run(
                            phase,
                            () -> {
                                if (passes.incrementAndGet() == waits) {
                                    letTheServerSpin();
                                }
                                passedNs.set(System.nanoTime());
                            });
            assertThat(result.elapsedNs()).isLessThanOrEqualTo(System.nanoTime() - passedNs.get());
            assertThat(passes).hasValue(2);
            assertThat(result.exchanges()).isPositive();
            assertThat(result.costs().server().threadNs() < WAIT_NS).isEqualTo(waits == 1);
        }
    }

    // They would be most of what an idle client spends.
    @Test
    void noTestCallsAreTimedAfterAnIdlePhase() throws Exception {
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.BOTH,
                        "loopback://idle",
                        WaitMode.BLOCK,
                        1,
                        1,
                        WorkerPlan.Cpus.FREE,
                        "",
                        Map.of());
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
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.BOTH,
                        "loopback://pinned",
                        WaitMode.YIELD,
                        1,
                        1,
                        new WorkerPlan.Cpus(0, 0),
                        "",
                        Map.of());
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
}
