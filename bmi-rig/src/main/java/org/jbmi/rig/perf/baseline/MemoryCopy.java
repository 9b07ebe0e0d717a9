package org.jbmi.rig.perf.baseline;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.worker.Endpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The upper bound of a stream. One thread copies from a ring of buffers to another, with as many
 * buffers in each as messages are under way. It reads each cache line of the copy if the receiver
 * of the stream does.
 */
public final class MemoryCopy implements Endpoint {
    /** Its name on the command line. */
    public static final String NAME = "memcpy";

    /** Its setup, as a reader must know it to compare the figures. */
    public static final String SETUP =
            "one thread copies from a ring of buffers to another one, as large as that of the"
                    + " stream, and reads the lines that the receiver reads; no other process";

    private static final int LINE_BYTES = 64;
    private static final long NS_PER_MS = 1_000_000;

    private final Meter meter = new Meter();

    MemoryCopy(WorkerPlan plan) throws IOException, InterruptedException {
        new CpuPin(plan.cpus().client()).pinOnce();
    }

    @Override
    public PhaseResult run(Phase phase, Gate gate) {
        gate.pass();
        meter.watchThisThread();
        Histogram latencies = PhaseResult.newHistogram();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] from = ring(arena, phase);
            MemorySegment[] to = ring(arena, phase);
            Meter.Reading before = meter.read();
            long startNs = System.nanoTime();
            long endNs = startNs + phase.millis() * NS_PER_MS;
            long now = startNs;
            long copies = 0;
            while (now < endNs) {
                int at = (int) (copies % from.length);
                MemorySegment.copy(from[at], 0, to[at], 0, phase.bytes());
                if (phase.options().touch()) {
                    LinkClient.readLines(to[at]);
                }
                copies++;
                long then = now;
                now = System.nanoTime();
                latencies.recordValue(Math.max(1, now - then));
            }
            return PhaseResult.empty()
                    .withClient(latencies, copies, now - startNs, before, meter.read());
        }
    }

    /** A ring of buffers, with all pages touched. */
    private static MemorySegment[] ring(Arena arena, Phase phase) {
        MemorySegment[] ring = new MemorySegment[phase.outstanding()];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = arena.allocate(phase.bytes(), LINE_BYTES).fill((byte) i);
        }
        return ring;
    }

    @Override
    public void close() {}
}
