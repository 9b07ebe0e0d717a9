package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.locks.LockSupport;

/** The thread of a server that nobody measures just now. */
@Timeout(30)
class ServerLoopTest {
    private static final long LOOK_NS = 100_000;

    // Else it takes the processor from whoever is measured in turns with it.
    @ParameterizedTest
    @EnumSource(WaitMode.class)
    void aServerRestsWhileNobodyMeasures(WaitMode wait) throws Exception {
        BmiBuilder builder = Bmi.builder().listen("loopback://quiet-" + wait);
        wait.knobs().forEach(builder::knob);
        try (Bmi bmi = builder.open()) {
            ServerFlows flows = new ServerFlows();
            Thread thread =
                    Thread.ofPlatform()
                            .daemon()
                            .start(new ServerLoop(bmi, wait, flows, new Meter(bmi)));
            try {
                while (thread.getState() != Thread.State.TIMED_WAITING) {
                    LockSupport.parkNanos(LOOK_NS);
                    assertThat(Thread.interrupted()).as("the watchdog's interrupt").isFalse();
                }
            } finally {
                flows.stop();
                thread.join();
            }
        }
    }
}
