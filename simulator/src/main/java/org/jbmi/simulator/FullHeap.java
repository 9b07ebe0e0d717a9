package org.jbmi.simulator;

import org.jbmi.simulator.coverage.Coverage;
import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.process.Violation;
import org.jbmi.simulator.watch.Progress;
import org.jbmi.simulator.watch.StandstillException;
import org.jspecify.annotations.Nullable;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Runs worlds in which the heap is full at times. Any object that the library is about to make may
 * end in an {@link OutOfMemoryError}, in a client, a server, or the process of the engine. For this
 * it loads the library's classes anew, with a check before each allocation.
 */
public final class FullHeap {
    private static final int FIELDS = 15;

    private FullHeap() {}

    /** The thread that runs the worlds, loaded anew with all classes that it needs. */
    public static final class Player extends AllocationThread {
        private final long seed;
        private final long atLeast;
        private final long shrinkNs;
        private final AtomicLongArray progress;
        private final Consumer<Object[]> result;
        private @Nullable World world;

        /**
         * Prepares.
         *
         * @param seed any number
         * @param atLeast steps to do
         * @param shrinkNs how long to look for a shorter history
         * @param progress takes the step that it has reached
         * @param result takes the fields of a {@link Simulation.Report}, or the exception
         */
        public Player(
                long seed,
                long atLeast,
                long shrinkNs,
                AtomicLongArray progress,
                Consumer<Object[]> result) {
            super("simulation");
            this.seed = seed;
            this.atLeast = atLeast;
            this.shrinkNs = shrinkNs;
            this.progress = progress;
            this.result = result;
        }

        @Override
        protected void allocates() {
            World now = world;
            if (now != null) {
                now.allocates();
            }
        }

        @Override
        public void run() {
            try {
                Simulation simulation = new Simulation(seed, new Progress(progress));
                result.accept(fields(simulation.run(atLeast, shrinkNs)));
            } catch (RuntimeException | Error e) {
                result.accept(new Object[] {e});
            }
        }
    }

    /** Sets the world that this thread runs; null for none. */
    static void plays(@Nullable World world) {
        if (Thread.currentThread() instanceof Player own) {
            own.world = world;
        }
    }

    /** Whether the heap may be full for the calling thread. */
    static boolean isCurrent() {
        return Thread.currentThread() instanceof Player;
    }

    private static Object[] fields(Simulation.Report report) {
        Simulation.Failure failure = report.failure();
        return new Object[] {
            report.seed(),
            report.steps(),
            report.worlds(),
            report.seconds(),
            report.moved(),
            report.delivered(),
            report.cancelled(),
            report.failed(),
            report.coverage().numbers(),
            failure == null ? "" : failure.sentence(),
            failure == null ? 0L : failure.world(),
            failure == null ? 0 : failure.scheduled(),
            failure == null ? 0 : failure.shortest(),
            failure == null ? new String[0] : failure.history().toArray(new String[0]),
            failure == null ? new Throwable() : failure.violation()
        };
    }

    /**
     * Runs, as {@link Simulation#watched} does.
     *
     * @param seed from which everything follows
     * @param atLeast steps to do, unless something does not hold
     * @param shrinkNs how long to look for a shorter history then
     * @return what came of it
     * @throws StandstillException if a step of the schedule takes longer than two minutes
     */
    public static Simulation.Report run(long seed, long atLeast, long shrinkNs) {
        Progress progress = new Progress();
        ClassLoader loader = new AllocationLoader(FullHeap.class.getClassLoader());
        AtomicReference<Object[]> result = new AtomicReference<>(new Object[0]);
        try {
            Constructor<?> made =
                    loader.loadClass(Player.class.getName())
                            .getConstructor(
                                    long.class,
                                    long.class,
                                    long.class,
                                    AtomicLongArray.class,
                                    Consumer.class);
            Consumer<Object[]> taker = result::set;
            Thread thread =
                    (Thread) made.newInstance(seed, atLeast, shrinkNs, progress.fields(), taker);
            thread.setDaemon(true);
            thread.start();
            progress.await(thread, seed, Progress.PATIENCE_SECONDS);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the simulator cannot be loaded anew", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return report(result.get(), seed);
    }

    private static Simulation.Report report(Object[] of, long seed) {
        if (of.length != FIELDS) {
            throw new IllegalStateException(
                    "the simulation with seed " + seed + " failed",
                    of.length == 1 ? (Throwable) of[0] : null);
        }
        String sentence = (String) of[9];
        Simulation.Failure failure =
                sentence.isEmpty()
                        ? null
                        : new Simulation.Failure(
                                sentence,
                                (long) of[10],
                                (int) of[11],
                                (int) of[12],
                                List.of((String[]) of[13]),
                                new Violation(sentence, (Throwable) of[14]));
        return new Simulation.Report(
                (long) of[0],
                (long) of[1],
                (long) of[2],
                (double) of[3],
                (long) of[4],
                (long) of[5],
                (long) of[6],
                (long) of[7],
                Coverage.of((long[]) of[8]),
                failure);
    }
}
