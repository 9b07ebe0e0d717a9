package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.testsuite.fault.Planted;
import org.jbmi.testsuite.fault.PlantingLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** A simulation that does not go on says where it is, and its seed. */
@Timeout(120)
class StandstillTest {
    /** Longer than the test: it ends when it is interrupted. */
    private static final int A_LONG_STEP_MS = 300_000;

    @Test
    void aLockThatNobodyCanReleaseIsToldAtOnce() throws Exception {
        Planted kept =
                Planted.call(
                        "a lock stays taken",
                        "org.jbmi.zoid.common.SessionGuard",
                        "enter",
                        "unlock",
                        0);
        assertThatThrownBy(() -> watched(kept, 120))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .hasMessageMatching(
                        "The simulation with seed 77 stands still: step \\d+ of world \\d+"
                                + " \\(seed -?\\d+\\) waits for a lock that no other thread can"
                                + " release\\.")
                .satisfies(
                        still ->
                                assertThat(still.getStackTrace())
                                        .extracting(each -> each.getMethodName())
                                        .contains("lockSlowly", "step"));
    }

    private static Object watched(Planted fault, int patienceSeconds) throws Exception {
        Class<?> type =
                new PlantingLoader(fault, "org.jbmi.", StandstillTest.class.getClassLoader())
                        .loadClass(Simulation.class.getName());
        Method watched = type.getMethod("watched", long.class, long.class, long.class, int.class);
        return watched.invoke(null, 77L, 1000L, 0L, patienceSeconds);
    }

    @Test
    void aStepThatTakesTooLongIsToldWithItsSeed() throws Exception {
        Planted slow =
                Planted.slow("a step stands", "org.jbmi.simulator.World", "step", A_LONG_STEP_MS);
        assertThatThrownBy(() -> watched(slow, 1))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .hasMessageMatching(
                        "The simulation with seed 77 stands still: step 1 of world 1 \\(seed"
                                + " -?\\d+\\) is not done after 1 s\\.")
                .satisfies(
                        still ->
                                assertThat(still.getStackTrace())
                                        .extracting(each -> each.getMethodName())
                                        .contains("parkNanos", "step"));
    }
}
