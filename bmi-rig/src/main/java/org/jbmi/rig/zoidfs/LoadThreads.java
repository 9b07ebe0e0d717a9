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
     * Runs all threads for a time.
     *
     * @return the steps per second of all threads together
     */
    double run(long millis) throws IOException, InterruptedException {
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
        return sum * NS_PER_SECOND / (System.nanoTime() - begin);
    }

    private static Long untilThen(Step step, long end) throws IOException {
        long count = 0;
        while (System.nanoTime() - end < 0) {
            step.run();
            count++;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        for (Step step : steps) {
            step.close();
        }
        for (AutoCloseable each : owned) {
            try {
                each.close();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
