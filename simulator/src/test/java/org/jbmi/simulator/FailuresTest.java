package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        private final Error error;
        private int thrown;
        private int steps;

        Throwing(int most, Error error) {
            this.most = most;
            this.error = error;
        }

        @Override
        public void step() {
            if (++steps >= 20 && thrown < most) {
                thrown++;
                throw error;
            }
        }
    }

    private static Simulation.Report run(int most) {
        return run(most, new AssertionError("of the step"));
    }

    private static Simulation.Report run(int most, Error error) {
        return new Simulation(SEED, new Throwing(most, error)).run(100, 0);
    }

    @Test
    void anErrorIsAFailureOfItsWorld() {
        Simulation.Failure failure = run(Integer.MAX_VALUE).failure();
        assertThat(failure).isNotNull();
        assertThat(failure.sentence()).contains("AssertionError: of the step");
        assertThat(failure.scheduled()).isEqualTo(20);
    }

    /** A planted fault would count as found although no check found it. */
    @Test
    void aClassThatDoesNotLinkIsNoFailureOfAWorld() {
        VerifyError error = new VerifyError("of a class");
        assertThatThrownBy(() -> run(1, error)).isSameAs(error);
    }

    @Test
    void aFailureThatDoesNotComeAgainIsReportedEvenSo() {
        Simulation.Failure failure = run(1).failure();
        assertThat(failure).isNotNull();
        assertThat(failure.sentence()).contains("AssertionError: of the step");
        assertThat(failure.history()).last().asString().contains("does not fail again");
    }
}
