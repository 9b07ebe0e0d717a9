package org.jbmi.rig.zoidfs;

import org.jbmi.tools.cli.Sentences;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The threads of one side, each with a step of its own. Its close ends them. */
final class LoadThreads implements AutoCloseable {
    private static final long NS_PER_MS = 1_000_000;
    private static final double NS_PER_SECOND = 1e9;

    private final List<Step> steps;
    private final List<AutoCloseable> owned;
    private final ExecutorService threads;

    /**
     * Starts threads.
     *
     * @param steps one for each thread
     * @param owned closed after the steps, in this order
     */
    LoadThreads(List<? extends Step> steps, List<? extends AutoCloseable> owned) {
        this.steps = List.copyOf(steps);
        this.owned = List.copyOf(owned);
        this.threads =
                Executors.newFixedThreadPool(
                        steps.size(), Thread.ofPlatform().daemon().name("perf-", 0).factory());
    }

    /**
     * What all threads have done together.
     *
     * @param steps how many, at least one for each thread
     * @param elapsedNs how long they took, which is until the last one ended
     */
    record Work(long steps, long elapsedNs) {
        double perSecond() {
            return steps * NS_PER_SECOND / elapsedNs;
        }
    }

    /** Runs all threads for a time. */
    Work run(long millis) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long end = begin + millis * NS_PER_MS;
        List<Callable<Long>> work = new ArrayList<>();
        for (Step step : steps) {
            work.add(() -> untilThen(step, end));
        }
        long sum = 0;
        for (Future<Long> each : threads.invokeAll(work)) {
            try {
                sum += each.get();
            } catch (ExecutionException e) {
                throw new IOException(Sentences.of(e), e);
            }
        }
        return new Work(sum, System.nanoTime() - begin);
    }

    private static Long untilThen(Step step, long end) throws IOException {
        long count = 0;
        do {
            step.run();
            count++;
        } while (System.nanoTime() - end < 0);
        return count;
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        List<AutoCloseable> all = new ArrayList<>(steps);
        all.addAll(owned);
        closeAll(all);
    }

    /** Closes all in order, also if some fail. */
    static void closeAll(List<? extends AutoCloseable> all) throws IOException {
        IOException failure = null;
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new IOException(Sentences.of(e), e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
