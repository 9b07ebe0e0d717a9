package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.Tuple;
import net.jqwik.api.sessions.JqwikSession;

import org.jbmi.conformance.LoopbackFixture;
import org.jbmi.conformance.TcpStandaloneFixture;
import org.jbmi.conformance.ZoidDaemonFixture;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.model.Step;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Plays the random programs of the properties until one does not end as the model says. Loaded in a
 * environment in which a fault is planted, so it is called by its name.
 */
public final class PlantedHunt {
    private static final int STEPS = 40;
    private static final int CLIENTS = 2;
    private static final long POOL_BYTES = 2L << 20;

    /** Where nobody says what was read, posts wait for room: ten of them in one program. */
    private static final String CALL_TIMEOUT = "zoid.callTimeoutMs";

    private static final String CALL_TIMEOUT_MS = "1000";

    private PlantedHunt() {}

    /**
     * Programs on loopback and on zoid with little memory.
     *
     * @param seed from which they follow
     * @param limitSeconds how long to look
     * @return what did not hold, or null
     */
    public static String programs(long seed, long limitSeconds) {
        EnvironmentSettings small = EnvironmentSettings.DEFAULT.withPool(POOL_BYTES);
        return hunt(
                Arbitraries.frequencyOf(
                                Tuple.of(8, Programs.plainSends(300_000)),
                                Tuple.of(8, Programs.plainReceives(300_000)),
                                Tuple.of(5, Programs.cancels()),
                                Tuple.of(3, Programs.letters(Arbitraries.just(0))),
                                Tuple.of(2, Programs.takes(Arbitraries.just(0))),
                                Tuple.of(3, Programs.allocations()),
                                Tuple.of(2, Programs.frees()))
                        .list()
                        .ofSize(STEPS),
                () ->
                        new Theatre(List.of(new LoopbackFixture(), new ZoidDaemonFixture()), small)
                                .withShortMemory(),
                List.of(),
                seed,
                limitSeconds);
    }

    /**
     * Programs with classes, deadlines and a second context, on loopback and on zoid.
     *
     * @param seed from which they follow
     * @param limitSeconds how long to look
     * @return what did not hold, or null
     */
    public static String varied(long seed, long limitSeconds) {
        return hunt(
                Arbitraries.oneOf(
                                Programs.sends(4096),
                                Programs.roomyReceives(4096),
                                Programs.cancels(),
                                Programs.letters(Programs.classes()),
                                Programs.takes(),
                                Programs.looks())
                        .list()
                        .ofSize(STEPS),
                () ->
                        new Theatre(
                                List.of(new LoopbackFixture(), new ZoidDaemonFixture()),
                                EnvironmentSettings.DEFAULT),
                List.of(),
                seed,
                limitSeconds);
    }

    /**
     * Programs in the middle of which a client leaves.
     *
     * @param seed from which they follow
     * @param limitSeconds how long to look
     * @return what did not hold, or null
     */
    public static String leaving(long seed, long limitSeconds) {
        return hunt(
                Arbitraries.oneOf(
                                Programs.plainSends(4096),
                                Programs.plainReceives(4096),
                                Programs.letters(Arbitraries.just(0)))
                        .list()
                        .ofSize(6),
                () -> new Theatre(List.of(new ZoidDaemonFixture()), EnvironmentSettings.DEFAULT),
                List.of(new Step.Leave(0)),
                seed,
                limitSeconds);
    }

    /**
     * Threads on tcp, whose sends are done before anybody receives.
     *
     * @param seed from which they follow
     * @param limitSeconds how long to look
     * @return what did not hold, or null
     */
    public static String threads(long seed, long limitSeconds) {
        return hunt(ScriptThreads.scripts(), PlantedHunt::playThreads, seed, limitSeconds);
    }

    private static String playThreads(List<List<Move>> scripts) {
        try (Stage stage =
                new Stage(new TcpStandaloneFixture(), EnvironmentSettings.DEFAULT, CLIENTS)) {
            return found(() -> new ScriptThreads(stage, 0).play(scripts));
        }
    }

    private static String hunt(
            Arbitrary<List<Step>> programs,
            Supplier<Theatre> theatres,
            List<Step> end,
            long seed,
            long limitSeconds) {
        return hunt(
                programs,
                steps -> {
                    List<Step> program = new ArrayList<>(steps);
                    program.addAll(end);
                    return play(program, theatres.get());
                },
                seed,
                limitSeconds);
    }

    private static <T> String hunt(
            Arbitrary<T> programs, Function<T, String> player, long seed, long limitSeconds) {
        String[] found = new String[1];
        System.setProperty(CALL_TIMEOUT, CALL_TIMEOUT_MS);
        try {
            JqwikSession.run(
                    () -> {
                        RandomGenerator<T> generator = programs.generator(1000);
                        Random random = new Random(seed);
                        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
                        while (found[0] == null && System.nanoTime() - endNs < 0) {
                            found[0] = player.apply(generator.next(random).value());
                        }
                    });
        } finally {
            System.clearProperty(CALL_TIMEOUT);
        }
        return found[0];
    }

    // A method that cannot be opened is no find: the theatre is open already.
    private static String play(List<Step> program, Theatre theatre) {
        return found(
                () -> {
                    try (theatre) {
                        program.forEach(theatre::play);
                        theatre.finish();
                    }
                });
    }

    // Whatever a program throws is a find.
    private static String found(Runnable program) {
        try {
            program.run();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        }
    }
}
