package org.jbmi.tools.perf;

import org.jbmi.tools.perf.worker.CpuPin;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * What the machine can do at this moment: how long a cache line takes from one processor to another
 * and back. Figures of shared memory mean little without it.
 */
final class Calibration {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CELLS = 64;
    private static final int THERE = 16;
    private static final int BACK = 48;
    private static final int GOOD = 10;
    private static final int BATCHES = 400;
    private static final int BATCH = 100;
    private static final long GIVE_UP_NS = 3_000_000_000L;
    private static final double NS_PER_US = 1000;
    private static final Path LOAD = Path.of("/proc/loadavg");

    private final List<Integer> cpus;

    Calibration(List<Integer> cpus) {
        this.cpus = cpus;
    }

    /**
     * A round trip in microseconds while both threads run: of many batches a good one, since on a
     * busy machine most contain a pause of one of the two. 0 where there is one processor only.
     */
    double roundTripUs() throws IOException, InterruptedException {
        if (cpus.size() < 2) {
            return 0;
        }
        long[] cells = new long[CELLS];
        Task<Integer> echo = Task.start("calibration-echo", () -> echo(cells, cpus.get(1)));
        Task<long[]> ask = Task.start("calibration", () -> ask(cells, cpus.get(0)));
        long[] batches;
        try {
            batches = ask.result();
        } finally {
            CELL.setRelease(cells, THERE, -1L);
        }
        echo.result();
        Arrays.sort(batches);
        return batches[batches.length / GOOD] / (double) BATCH / NS_PER_US;
    }

    private static long[] ask(long[] cells, int cpu) throws IOException, InterruptedException {
        new CpuPin(cpu).pinOnce();
        long[] batches = new long[BATCHES];
        long turn = 0;
        long startNs = System.nanoTime();
        // The first half is for the compiler.
        for (int batch = 0; batch < 2 * BATCHES; batch++) {
            long beforeNs = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                turn++;
                CELL.setRelease(cells, THERE, turn);
                while ((long) CELL.getAcquire(cells, BACK) != turn) {
                    Thread.onSpinWait();
                }
            }
            long afterNs = System.nanoTime();
            if (batch >= BATCHES) {
                batches[batch - BATCHES] = afterNs - beforeNs;
            } else if (afterNs - startNs > GIVE_UP_NS) {
                return new long[] {afterNs - beforeNs};
            }
        }
        return batches;
    }

    private static Integer echo(long[] cells, int cpu) throws IOException, InterruptedException {
        new CpuPin(cpu).pinOnce();
        long seen = 0;
        while (seen >= 0) {
            long turn = (long) CELL.getAcquire(cells, THERE);
            if (turn != seen) {
                CELL.setRelease(cells, BACK, turn);
                seen = turn;
            } else {
                Thread.onSpinWait();
            }
        }
        return 0;
    }

    /** How many threads wanted a processor in the last minute, on average; negative if unknown. */
    static double load() {
        try {
            String text = Files.readString(LOAD);
            return Double.parseDouble(text.substring(0, text.indexOf(' ')));
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    /** Something that a thread of its own does. */
    private record Task<T>(FutureTask<T> future) {
        static <T> Task<T> start(String name, Callable<T> work) {
            FutureTask<T> future = new FutureTask<>(work);
            Thread.ofPlatform().daemon().name(name).start(future);
            return new Task<>(future);
        }

        T result() throws IOException, InterruptedException {
            try {
                return future.get();
            } catch (ExecutionException e) {
                throw new IOException("The machine could not be calibrated: " + e.getCause(), e);
            }
        }
    }
}
