package org.jbmi.rig.perf.phase;

import org.jbmi.shipper.codec.Shipped;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory and threads of a process.
 *
 * @param heapBytes objects that are reachable
 * @param outsideBytes memory in use outside the heap, shared memory that it has touched included
 */
@Shipped
public record Footprint(long heapBytes, long outsideBytes, long threads) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long KIB = 1024;

    /**
     * Reads those of this process, after a garbage collection. All pages of the heap must have been
     * touched ({@code -XX:+AlwaysPreTouch}); pages that are touched later count as outside the
     * heap.
     *
     * @throws IOException if the system does not tell
     */
    public static Footprint read() throws IOException {
        ManagementFactory.getMemoryMXBean().gc();
        Runtime runtime = Runtime.getRuntime();
        long resident = 0;
        long threads = 0;
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                resident = number(line) * KIB;
            } else if (line.startsWith("Threads:")) {
                threads = number(line);
            }
        }
        long committed = runtime.totalMemory();
        return new Footprint(committed - runtime.freeMemory(), resident - committed, threads);
    }

    private static long number(String line) {
        String[] words = line.split("\\s+", -1);
        return Long.parseLong(words[1]);
    }

    /** The growth since an earlier reading. */
    public Footprint minus(Footprint before) {
        return new Footprint(
                heapBytes - before.heapBytes,
                outsideBytes - before.outsideBytes,
                threads - before.threads);
    }

    /** Adds the footprints of two processes. */
    public Footprint plus(Footprint other) {
        return new Footprint(
                heapBytes + other.heapBytes,
                outsideBytes + other.outsideBytes,
                threads + other.threads);
    }
}
