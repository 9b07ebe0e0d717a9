package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.PerfPlan;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

/** The options of {@code bmi perf} about times. */
final class TimeOptions {
    private static final int MAX_ROUNDS = 1000;
    private static final double MAX_SECONDS = 3600;
    private static final double MS_PER_SECOND = 1000;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "How long to measure each size and side; default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            defaultValue = "20",
            description =
                    "The longest warm-up, in which nothing counts. The warm-up of a side ends"
                        + " earlier after a second in which the compilers used at most 2 %% of a"
                        + " processor for each client and server; default: ${DEFAULT-VALUE}.")
    private double warmUp;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "How many rounds the time of --seconds has. In a round each side has a turn:"
                        + " one measurement. Default: as many as leave each turn 0.1 s, 1000"
                        + " exchanges for its 99th percentile, and 20 exchanges for each client. No"
                        + " round begins after twice --seconds for each side (after 12 s with two"
                        + " sides and --seconds 3), but there are always at least 5. With --pattern"
                        + " idle: 1.")
    private @Nullable Integer rounds;

    /** The times; an exception says what is wrong. */
    PerfPlan.Times times() {
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new IllegalArgumentException(
                    "--seconds goes from more than 0 to " + (int) MAX_SECONDS);
        }
        if (!(warmUp >= 0 && warmUp <= MAX_SECONDS)) {
            throw new IllegalArgumentException("--warm-up goes from 0 to " + (int) MAX_SECONDS);
        }
        if (rounds != null) {
            Numbers.between("rounds", rounds, 1, MAX_ROUNDS);
        }
        return new PerfPlan.Times(
                Math.max(1, (long) (warmUp * MS_PER_SECOND)),
                Math.max(1, (long) (seconds * MS_PER_SECOND)),
                rounds == null ? 0 : rounds);
    }
}
