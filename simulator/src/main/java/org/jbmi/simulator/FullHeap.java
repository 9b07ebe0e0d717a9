package org.jbmi.simulator;

import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.watch.Progress;
import org.jbmi.simulator.watch.StandstillException;
import org.jspecify.annotations.Nullable;

import java.lang.reflect.Constructor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Runs worlds in which the heap is full at times. Any object that the library is about to make may
 * end in an {@link OutOfMemoryError}, in a client, a server, or the process of the engine. For this
 * it loads the library's classes anew, with a check before each allocation.
 */
public final class FullHeap {
    private FullHeap() {}

    /** The thread that runs the worlds, loaded anew with all classes that it needs. */
    public static final class Player extends AllocationThread {
        private final long seed;
        private final long atLeast;
        private final long shrinkNs;
        private final Progress progress;
        private final CompletableFuture<Simulation.Report> result;
        private @Nullable World world;

        /**
         * Prepares.
         *
         * @param seed any number
         * @param atLeast steps to do
         * @param shrinkNs how long to look for a shorter history
         * @param progress takes the step that it has reached
         * @param result takes what came of it
         */
        public Player(
                long seed,
                long atLeast,
                long shrinkNs,
                Progress progress,
                CompletableFuture<Simulation.Report> result) {
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
                result.complete(new Simulation(seed, progress).run(atLeast, shrinkNs));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
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
        CompletableFuture<Simulation.Report> result = new CompletableFuture<>();
        try {
            Constructor<?> made =
                    loader.loadClass(Player.class.getName())
                            .getConstructor(
                                    long.class,
                                    long.class,
                                    long.class,
                                    Progress.class,
                                    CompletableFuture.class);
            Thread thread = (Thread) made.newInstance(seed, atLeast, shrinkNs, progress, result);
            thread.setDaemon(true);
            thread.start();
            progress.await(thread, seed, Progress.PATIENCE_SECONDS);
            // No effect on a result. A heap that is really full may have left none.
            result.completeExceptionally(new IllegalStateException("its thread has ended"));
            return result.get();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the simulator cannot be loaded anew", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the simulation with seed " + seed + " failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
