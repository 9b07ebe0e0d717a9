package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.simulator.watch.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever goes wrong in a simulation is reported with its seed. */
@Timeout(120)
class FailuresTest {
    private static final long SEED = 5;

    /** Throws in some of the steps. */
    private static final class Throwing extends Progress {
        private final int most;
        private int thrown;
        private int steps;

        Throwing(int most) {
            this.most = most;
        }

        @Override
        public void step() {
            if (++steps >= 20 && thrown < most) {
                thrown++;
                throw new AssertionError("of the step");
            }
        }
    }

    private static Simulation.Report run(int most) {
        return new Simulation(SEED, new Throwing(most)).run(100, 0);
    }

    @Test
    void anErrorIsAFailureOfItsWorld() {
        Simulation.Failure failure = run(Integer.MAX_VALUE).failure();
        assertThat(failure).isNotNull();
        assertThat(failure.sentence()).contains("AssertionError: of the step");
        assertThat(failure.scheduled()).isEqualTo(20);
    }

    @Test
    void aFailureThatDoesNotComeAgainIsReportedEvenSo() {
        Simulation.Failure failure = run(1).failure();
        assertThat(failure).isNotNull();
        assertThat(failure.sentence()).contains("AssertionError: of the step");
        assertThat(failure.history()).last().asString().contains("does not fail again");
    }
}
