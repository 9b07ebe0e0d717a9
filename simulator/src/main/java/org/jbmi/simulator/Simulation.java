package org.jbmi.simulator;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.simulator.coverage.Coverage;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.Violation;
import org.jbmi.simulator.watch.Progress;
import org.jbmi.simulator.watch.StandstillException;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zoid.ZoidKnobs;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs worlds, one after the other, for a number of steps or until a check fails. The same seed and
 * number of steps repeat a run.
 */
public final class Simulation {
    /** Steps of the schedule in one world; each may contain steps of other processes. */
    private static final int WORLD_STEPS = 1200;

    /** The deadline of a close of either half. */
    static final int CLOSE_MS = 50;

    // Halves and channels log a warning for each session that ends; here thousands end.
    private final Logger warnings = Logger.getLogger("org.jbmi");
    private final Configuration knobs =
            Configuration.resolve(
                    all(),
                    Map.of(
                            "bmi.wait", "block",
                            "zoid.clientPoolBytes", "65536",
                            "zoid.eagerBytes", Integer.toString(World.EAGER),
                            "zoid.closeTimeoutMs", Integer.toString(CLOSE_MS),
                            "zoid.attachTimeoutMs", "300"),
                    name -> null,
                    name -> null);

    private static List<Knob<?>> all() {
        List<Knob<?>> all = new ArrayList<>(ZoidKnobs.all());
        all.add(WaitPolicy.MODE);
        all.add(AllocationTracking.KNOB);
        all.add(WaitPolicy.SPIN_NS);
        return all;
    }

    private static final long STACK_BYTES = 64L << 20;

    private final long seed;
    private final Progress progress;
    private final Coverage coverage = new Coverage();
    private long steps;
    private long worlds;
    private long moved;
    private long delivered;
    private long cancelled;
    private long failed;

    /**
     * The result of a run.
     *
     * @param seed from which everything follows
     * @param steps that were done
     * @param worlds the number of worlds
     * @param seconds how long it took
     * @param moved operations that ended with success
     * @param delivered unexpected messages that arrived
     * @param cancelled operations that were cancelled
     * @param failed operations that ended with another code
     * @param coverage how often each fault met each state
     * @param failure the failed check; null without one
     */
    public record Report(
            long seed,
            long steps,
            long worlds,
            double seconds,
            long moved,
            long delivered,
            long cancelled,
            long failed,
            Coverage coverage,
            @Nullable Failure failure) {}

    /**
     * A check that failed.
     *
     * @param sentence what failed
     * @param world the seed of its world
     * @param scheduled steps of the schedule before it
     * @param shortest steps of the shortest history that was found
     * @param history that history, as text
     * @param violation the exception
     */
    public record Failure(
            String sentence,
            long world,
            int scheduled,
            int shortest,
            List<String> history,
            Violation violation) {}

    /**
     * Prepares.
     *
     * @param seed any number
     */
    public Simulation(long seed) {
        this(seed, new Progress());
    }

    Simulation(long seed, Progress progress) {
        this.seed = seed;
        this.progress = progress;
    }

    /** The settings of its worlds. */
    Configuration knobs() {
        return knobs;
    }

    /**
     * Runs in a thread of its own, and checks that its steps end.
     *
     * @param seed any number
     * @param atLeast steps to do, unless something does not hold
     * @param shrinkNs how long to look for a shorter history then
     * @return what came of it
     * @throws StandstillException if a step of the schedule takes longer than two minutes
     */
    public static Report watched(long seed, long atLeast, long shrinkNs) {
        return watched(seed, atLeast, shrinkNs, Progress.PATIENCE_SECONDS);
    }

    /**
     * The same, with another time for a step.
     *
     * @param seed any number
     * @param atLeast steps to do, unless something does not hold
     * @param shrinkNs how long to look for a shorter history then
     * @param patienceSeconds how long a step of the schedule may take
     * @return the result
     * @throws StandstillException if a step takes longer
     */
    public static Report watched(long seed, long atLeast, long shrinkNs, int patienceSeconds) {
        Progress progress = new Progress();
        FutureTask<Report> play =
                new FutureTask<>(() -> new Simulation(seed, progress).run(atLeast, shrinkNs));
        Thread player = new Thread(null, play, "simulation", STACK_BYTES);
        player.setDaemon(true);
        player.start();
        try {
            progress.await(player, seed, patienceSeconds);
            return play.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the simulation with seed " + seed + " failed", e.getCause());
        }
    }

    /**
     * Runs.
     *
     * @param atLeast steps to do, unless something does not hold
     * @param shrinkNs how long to look for a shorter history then
     * @return what came of it
     */
    public Report run(long atLeast, long shrinkNs) {
        Level before = warnings.getLevel();
        warnings.setLevel(Level.OFF);
        try {
            return runQuietly(atLeast, shrinkNs);
        } finally {
            warnings.setLevel(before);
        }
    }

    private Report runQuietly(long atLeast, long shrinkNs) {
        long startNs = System.nanoTime();
        Failure failure = null;
        while (failure == null && steps < atLeast) {
            long worldSeed = Dice.mix(seed, worlds++);
            long[] schedule = new long[WORLD_STEPS];
            Arrays.setAll(schedule, i -> Dice.mix(worldSeed, i));
            Outcome outcome = play(worldSeed, schedule, null);
            add(outcome.world());
            if (outcome.violation() != null) {
                long[] until = Arrays.copyOf(schedule, outcome.done());
                failure = shrink(worldSeed, until, outcome.violation(), shrinkNs);
            }
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        return new Report(
                seed, steps, worlds, seconds, moved, delivered, cancelled, failed, coverage,
                failure);
    }

    private void add(@Nullable World world) {
        if (world == null) {
            return;
        }
        steps += world.steps;
        moved += world.ledger.moved;
        delivered += world.ledger.unexpectedDelivered;
        cancelled += world.ledger.cancelled;
        failed += world.ledger.failed;
        coverage.add(world.coverage);
    }

    private record Outcome(@Nullable World world, int done, @Nullable Violation violation) {}

    private Outcome play(long worldSeed, long[] schedule, @Nullable List<String> trace) {
        int done = 0;
        World world = null;
        try {
            world = new World(worldSeed, knobs, trace);
            FullHeap.plays(world);
            progress.world(worlds, worldSeed);
            for (long step : schedule) {
                done++;
                progress.step();
                world.step(step);
                if (world.violation() != null) {
                    return new Outcome(world, done, world.violation());
                }
            }
            world.dice.seed(worldSeed);
            progress.step();
            new Ending(world).end();
            return new Outcome(world, done, world.violation());
        } catch (Violation e) {
            return new Outcome(world, done, e);
        } catch (LinkageError e) {
            throw e; // of the classes, perhaps of one with a planted fault, and not of what they do
        } catch (RuntimeException | Error e) {
            return new Outcome(world, done, new Violation("it threw " + e, e));
        } finally {
            FullHeap.plays(null);
        }
    }

    // Leaves steps out: first halves, then smaller and smaller pieces.
    private Failure shrink(long worldSeed, long[] failing, Violation first, long shrinkNs) {
        long endNs = System.nanoTime() + shrinkNs;
        long[] shortest = failing;
        int piece = Math.max(1, shortest.length / 2);
        while (System.nanoTime() - endNs < 0) {
            boolean shrunk = false;
            for (int at = 0; at < shortest.length && System.nanoTime() - endNs < 0; ) {
                long[] fewer = without(shortest, at, piece);
                Outcome outcome = play(worldSeed, fewer, null);
                if (outcome.violation() != null) {
                    shortest = Arrays.copyOf(fewer, Math.min(fewer.length, outcome.done()));
                    shrunk = true;
                } else {
                    at += piece;
                }
            }
            if (piece == 1 && !shrunk) {
                break;
            }
            piece = Math.max(1, piece / 2);
        }
        List<String> history = new ArrayList<>();
        Violation violation = play(worldSeed, shortest, history).violation();
        if (violation == null) {
            history.add("This history does not fail again.");
            violation = first;
        }
        return new Failure(
                String.valueOf(violation.getMessage()),
                worldSeed,
                failing.length,
                shortest.length,
                history,
                violation);
    }

    private static long[] without(long[] all, int from, int count) {
        int end = Math.min(all.length, from + count);
        long[] fewer = new long[all.length - (end - from)];
        System.arraycopy(all, 0, fewer, 0, from);
        System.arraycopy(all, end, fewer, from, all.length - end);
        return fewer;
    }
}
