package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.CpuPin;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * so that one takes only a millisecond or two and can be made before and after each round.
 */
final class Calibration implements AutoCloseable {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CELLS = 64;
    private static final int THERE = 16;
    private static final int BACK = 48;
    private static final int GOOD = 4;
    private static final int FIRST_BATCHES = 3000;
    private static final int BATCHES = 40;
    private static final int BATCH = 50;

    /** A measurement takes this long only if other programs use the processors. */
    private static final long GIVE_UP_NS = 150_000_000L;

    /** So long takes no turn, whatever other programs do. */
    private static final long LOST_NS = 60_000_000_000L;

    /** So seldom that the clock costs nothing. */
    private static final int MANY_SPINS = 1 << 16;

    private static final double NS_PER_US = 1000;
    private static final Path LOAD = Path.of("/proc/loadavg");

    private final List<Integer> cpus;
    private final ExecutorService asker = thread("calibration");
    private final ExecutorService echoer = thread("calibration-echo");
    private final CpuPin askerPin;
    private final CpuPin echoerPin;
    private boolean isWarm;

    Calibration(List<Integer> cpus) {
        this.cpus = cpus;
        askerPin = new CpuPin(cpus.isEmpty() ? CpuPin.ANYWHERE : cpus.getFirst());
        echoerPin = new CpuPin(cpus.size() < 2 ? CpuPin.ANYWHERE : cpus.get(1));
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(
                work -> Thread.ofPlatform().daemon().name(name).unstarted(work));
    }

    /**
     * A round trip in microseconds while both threads run; 0 on a single processor. On a busy
     * machine some batches contain a pause of a thread, so this is one of the fastest batches.
     */
    double roundTripUs() throws IOException, InterruptedException {
        if (cpus.size() < 2) {
            return 0;
        }
        if (!isWarm) {
            isWarm = true;
            batches(FIRST_BATCHES); // so that the JIT compiler optimizes the loop
        }
        long[] batches = batches(BATCHES);
        Arrays.sort(batches);
        return batches[batches.length / GOOD] / (double) BATCH / NS_PER_US;
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
        long turn = 0;
        long startNs = System.nanoTime();
        for (int batch = 0; batch < count; batch++) {
            long beforeNs = System.nanoTime();
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
            long afterNs = System.nanoTime();
            batches[batch] = afterNs - beforeNs;
            if (afterNs - startNs > GIVE_UP_NS) {
                return Arrays.copyOf(batches, batch + 1);
            }
        }
        return batches;
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
