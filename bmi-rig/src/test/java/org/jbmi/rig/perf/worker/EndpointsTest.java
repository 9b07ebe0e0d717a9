package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.Optional;

/** A server and its client. */
@Timeout(60)
class EndpointsTest {
    private static final long WAIT_NS = 1_000_000_000;
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

    // The clients wait for each other when the server knows them already.
    @Test
    void aServerThatSpinsBeforeTheFirstMessageIsNotChargedForIt() throws Exception {
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
            PhaseResult result =
                    endpoint.run(
                            phase,
                            () -> {
                                long endNs = serverNs() + WAIT_NS;
                                while (serverNs() < endNs) {
                                    Thread.onSpinWait();
                                }
                            });
            assertThat(result.exchanges()).isPositive();
            assertThat(result.costs().server().threadNs()).isLessThan(WAIT_NS);
        }
    }
}
