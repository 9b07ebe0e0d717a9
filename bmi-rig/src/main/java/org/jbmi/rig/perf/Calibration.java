package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.CpuPin;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * Measures how long a cache line takes from one processor to another and back. Without this time,
 * figures of shared memory cannot be compared. Two pinned threads stay asleep between measurements,
 * so that one takes only some milliseconds and can be made before and after each round.
 */
final class Calibration implements AutoCloseable {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CELLS = 64;
    private static final int THERE = 16;
    private static final int BACK = 48;
    private static final int FIRST_BATCHES = 3000;
    private static final int BATCHES = 40;
    private static final int BATCH = 50;
    private static final int ARITHMETIC_ROUNDS = 2_000_000;
    private static final int ARITHMETIC_TRIES = 5;

    /** More than twice the tries, since they take up to twice the time beside it. */
    private static final int ARITHMETIC_WARM_UPS = 12;

    private static final long FACTOR = 6_364_136_223_846_793_005L;

    /** Processors that have just slept are slow, and a thread that was just woken may move. */
    private static final long WAKE_NS = 2_000_000L;

    /** A measurement takes this long only if other programs use the processors. */
    private static final long GIVE_UP_NS = 150_000_000L;

    /** So long takes no turn, whatever other programs do. */
    private static final long LOST_NS = 60_000_000_000L;

    /** So seldom that the clock costs nothing. */
    private static final int MANY_SPINS = 1 << 16;

    private static final Path LOAD = Path.of("/proc/loadavg");

    private final List<Integer> cpus;
    private final ExecutorService asker = thread("calibration");
    private final ExecutorService echoer = thread("calibration-echo");
    private final CpuPin askerPin;
    private final CpuPin echoerPin;
    private boolean isWarm;

    /** So that the compiler keeps the loop. */
    @SuppressWarnings("UnusedVariable")
    private volatile long product;

    Calibration(List<Integer> cpus) {
        this.cpus = cpus;
        askerPin = new CpuPin(cpus.isEmpty() ? CpuPin.ANYWHERE : cpus.getFirst());
        echoerPin = new CpuPin(cpus.size() < 2 ? CpuPin.ANYWHERE : cpus.get(1));
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(
                work -> Thread.ofPlatform().daemon().name(name).unstarted(work));
    }

    /** The round trip while both threads run. */
    Trip roundTrip() throws IOException, InterruptedException {
        if (cpus.size() < 2) {
            return Trip.NONE;
        }
        if (!isWarm) {
            isWarm = true;
            batches(FIRST_BATCHES); // so that the JIT compiler optimizes the loop
        }
        return Trip.of(batches(BATCHES), BATCH);
    }

    /**
     * How many times as long the threads calculate when both do at once. It is 1 with a core for
     * each, and up to 2 where they share a core or the host has only one processor for both. It is
     * 0 on a single processor.
     */
    double slowdown() throws IOException, InterruptedException {
        if (cpus.size() < 2) {
            return 0;
        }
        try {
            asker.submit(() -> arithmeticNs(askerPin, ARITHMETIC_WARM_UPS)).get();
            double alone = asker.submit(() -> arithmeticNs(askerPin, ARITHMETIC_TRIES)).get();
            Future<?> beside = echoer.submit(() -> arithmeticNs(echoerPin, ARITHMETIC_WARM_UPS));
            double together = asker.submit(() -> arithmeticNs(askerPin, ARITHMETIC_TRIES)).get();
            beside.get();
            return together / alone;
        } catch (ExecutionException e) {
            throw new IOException("The machine could not be calibrated: " + e.getCause(), e);
        } catch (RejectedExecutionException | CancellationException e) {
            throw new IOException("The measurement was ended.", e);
        }
    }

    private double arithmeticNs(CpuPin pin, int tries) throws IOException, InterruptedException {
        pin.pinOnce();
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < tries; i++) {
            long beforeNs = System.nanoTime();
            product = arithmetic(beforeNs);
            times.add((double) (System.nanoTime() - beforeNs));
        }
        return Findings.Spread.of(times).median();
    }

    /** Keeps a core's multiplier busy: no product needs the one before it. */
    private static long arithmetic(long seed) {
        long a = seed;
        long b = seed + 1;
        long c = seed + 2;
        long d = seed + 3;
        for (int i = 0; i < ARITHMETIC_ROUNDS; i++) {
            a = a * FACTOR + i;
            b = b * FACTOR + i;
            c = c * FACTOR + i;
            d = d * FACTOR + i;
        }
        return a ^ b ^ c ^ d;
    }

    private long[] batches(int count) throws IOException, InterruptedException {
        long[] cells = new long[CELLS];
        try {
            echoer.execute(() -> echo(cells, echoerPin));
            return asker.submit(() -> ask(cells, count, askerPin)).get();
        } catch (ExecutionException e) {
            throw new IOException("The machine could not be calibrated: " + e.getCause(), e);
        } catch (RejectedExecutionException | CancellationException e) {
            throw new IOException("The measurement was ended.", e);
        } finally {
            CELL.setRelease(cells, THERE, -1L);
        }
    }

    private static long[] ask(long[] cells, int count, CpuPin pin)
            throws IOException, InterruptedException {
        pin.pinOnce();
        long[] batches = new long[count];
        long startNs = System.nanoTime();
        long turn = batch(cells, 0, startNs); // when it is over, both threads run
        long runningNs = System.nanoTime();
        while (System.nanoTime() - runningNs < WAKE_NS) {
            turn = batch(cells, turn, startNs);
        }
        for (int batch = 0; batch < count; batch++) {
            long beforeNs = System.nanoTime();
            turn = batch(cells, turn, startNs);
            long afterNs = System.nanoTime();
            batches[batch] = afterNs - beforeNs;
            if (afterNs - startNs > GIVE_UP_NS) {
                return Arrays.copyOf(batches, batch + 1);
            }
        }
        return batches;
    }

    /** Some round trips; returns the number of the last one. */
    private static long batch(long[] cells, long last, long startNs)
            throws IOException, InterruptedException {
        long turn = last;
        for (int i = 0; i < BATCH; i++) {
            turn++;
            CELL.setRelease(cells, THERE, turn);
            int spins = 0;
            while ((long) CELL.getAcquire(cells, BACK) != turn) {
                Thread.onSpinWait();
                if (++spins == MANY_SPINS) {
                    spins = 0;
                    giveUpIfLost(startNs);
                }
            }
        }
        return turn;
    }

    /** The other thread has not begun if the measurement was ended just then. */
    private static void giveUpIfLost(long startNs) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (System.nanoTime() - startNs > LOST_NS) {
            throw new IOException("One of its threads does not answer.");
        }
    }

    private static void echo(long[] cells, CpuPin pin) {
        try {
            pin.pinOnce();
        } catch (IOException | InterruptedException e) {
            return; // the other thread gives up, and says so
        }
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
    }

    /** The load average of the last minute; negative if unknown. */
    static double load() {
        try {
            String text = Files.readString(LOAD);
            return Double.parseDouble(text.substring(0, text.indexOf(' ')));
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    @Override
    public void close() {
        for (Runnable neverBegun : asker.shutdownNow()) {
            if (neverBegun instanceof Future<?> future) {
                future.cancel(false); // otherwise who waits for it waits for ever
            }
        }
        echoer.shutdownNow();
    }
}
