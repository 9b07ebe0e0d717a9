package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.coverage.WorldState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

/** Worlds in which any object of the library may find no room in the heap. */
@Timeout(600)
class FullHeapTest {
    private static final long SHRINK_NS = TimeUnit.SECONDS.toNanos(10);

    /** Returns how many receives were pending when their heap was full. */
    private static long run(long seed, long steps) {
        Simulation.Report report = FullHeap.run(seed, steps, SHRINK_NS);
        Simulation.Failure failure = report.failure();
        if (failure != null) {
            throw new AssertionError(
                    "seed " + seed + ": " + String.join("\n", failure.history()),
                    failure.violation());
        }
        assertThat(report.moved()).isPositive();
        return report.coverage().count(WorldState.RECEIVE_PENDING, FaultKind.HEAP_FULL);
    }

    @Test
    void eachOperationHasOneOutcomeWhereTheHeapIsFull() {
        for (long seed = 1; seed <= 2; seed++) {
            assertThat(run(seed, 10_000)).isPositive();
        }
    }

    @Test
    @Tag("long")
    void eachOperationHasOneOutcomeInFreshWorlds() {
        long first = System.nanoTime() & 0xff_ffff;
        System.out.printf("FullHeapTest: seeds %d to %d%n", first, first + 49);
        long full = 0; // not for each seed: such receives are rare
        for (long seed = first; seed < first + 50; seed++) {
            full += run(seed, 50_000);
        }
        assertThat(full).isPositive();
    }
}
