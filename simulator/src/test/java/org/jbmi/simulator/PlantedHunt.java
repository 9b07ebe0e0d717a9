package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.fault.Planted;
import org.jbmi.testsuite.fault.PlantingLoader;

/** Looks for a fault that is planted into the library. */
final class PlantedHunt {
    private static final long FIRST_SEED = 42;
    private static final long STEPS_A_SEED = 100_000;

    /** Steps and not seconds, so that a busy machine finds the same. */
    private static final long MOST_STEPS = 6_000_000;

    private PlantedHunt() {}

    /** Plays from fresh seeds, in classes one of which has the fault, until it shows. */
    static void find(Planted fault, String player) throws Exception {
        ClassLoader parent = PlantedHunt.class.getClassLoader();
        Class<?> type =
                new PlantingLoader(fault, "org.jbmi.", parent)
                        .loadClass("org.jbmi.simulator." + player);
        long startNs = System.nanoTime();
        String found = null;
        long steps = 0;
        long seed = FIRST_SEED - 1;
        while (found == null && steps < MOST_STEPS) {
            Object report = run(type, ++seed);
            steps += (long) report.getClass().getMethod("steps").invoke(report);
            Object failure = report.getClass().getMethod("failure").invoke(report);
            if (failure != null) {
                found = (String) failure.getClass().getMethod("sentence").invoke(failure);
            }
        }
        System.out.printf(
                "%-65s %6.1f s %8d steps, seed %d: %s%n",
                fault.name(), (System.nanoTime() - startNs) / 1e9, steps, seed, found);
        // These come of how the fault is planted: an endless recursion, or a null that it leaves.
        assertThat(found)
                .as(fault.name())
                .isNotNull()
                .doesNotContain("StackOverflowError", "NullPointerException");
    }

    private static Object run(Class<?> type, long seed) throws Exception {
        String method = type.getSimpleName().equals("FullHeap") ? "run" : "watched";
        return type.getMethod(method, long.class, long.class, long.class)
                .invoke(null, seed, STEPS_A_SEED, 0L);
    }
}
