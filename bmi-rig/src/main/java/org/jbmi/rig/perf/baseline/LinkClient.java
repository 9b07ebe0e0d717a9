package org.jbmi.rig.perf.baseline;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.Timetable;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.worker.Contents;
import org.jbmi.rig.perf.worker.Endpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The asking side of a baseline. The first byte of a message marks the last one of a phase. */
final class LinkClient implements Endpoint {
    private static final byte LAST = 1;
    private static final int CLOCK_MASK = 63;
    private static final int LARGE_BYTES = 4096;
    private static final long NS_PER_MS = 1_000_000;

    private final Link link;
    private final WaitMode wait;
    private final Meter meter = new Meter();

    LinkClient(Link link, WaitMode wait) {
        this.link = link;
        this.wait = wait;
    }

    static boolean isLast(MemorySegment message) {
        return message.get(ValueLayout.JAVA_BYTE, 0) == LAST;
    }

    private static void setLast(MemorySegment message, boolean last) {
        message.set(ValueLayout.JAVA_BYTE, 0, last ? LAST : 0);
    }

    static void readLines(MemorySegment message) {
        if (Contents.readLines(message, 0, message.byteSize()) == Long.MIN_VALUE) {
            // Never true: it keeps the compiler from removing the reads.
            setLast(message, false);
        }
    }

    @Override
    public PhaseResult run(Phase phase, Gate gate) throws IOException {
        gate.pass();
        Histogram latencies = PhaseResult.newHistogram();
        meter.watchThisThread();
        try (Arena arena = Arena.ofShared()) {
            Buffers out = new Buffers(arena, phase);
            Buffers in = new Buffers(arena, phase);
            Meter.Reading before = meter.read();
            long startNs = System.nanoTime();
            long exchanges =
                    switch (phase.pattern()) {
                        case RATE -> rate(phase, out, in, latencies);
                        case STREAM -> stream(phase, out, latencies);
                        default ->
                                Duplex.isNeeded(phase, phase.bytes())
                                        ? Duplex.ask(link, phase, out, in, latencies)
                                        : roundTrips(phase, out, in, latencies);
                    };
            long endNs = System.nanoTime();
            Meter.Reading after = meter.read();
            Buffer last = out.next();
            setLast(last.memory(), true);
            link.send(last);
            receive(in.next());
            if (phase.pattern() == Pattern.STREAM) {
                endNs = System.nanoTime();
                after = meter.read();
            }
            return PhaseResult.empty()
                    .withClient(latencies, exchanges, endNs - startNs, before, after);
        }
    }

    private void receive(Buffer in) throws IOException {
        while (!link.receive(in, wait.isBlocking())) {
            wait.pause();
        }
    }

    /** The phase says how many are under way at once; the link keeps their order. */
    private long roundTrips(Phase phase, Buffers out, Buffers in, Histogram latencies)
            throws IOException {
        long now = System.nanoTime();
        long endNs = now + phase.millis() * NS_PER_MS;
        long[] starts = new long[phase.outstanding()];
        long sent = 0;
        long received = 0;
        while (now < endNs || received < sent) {
            while (now < endNs && sent - received < starts.length) {
                starts[(int) (sent++ % starts.length)] = now;
                link.send(out.next());
            }
            receive(in.next());
            now = System.nanoTime();
            latencies.recordValue(Math.max(1, now - starts[(int) (received++ % starts.length)]));
        }
        return received;
    }

    private long stream(Phase phase, Buffers out, Histogram latencies) throws IOException {
        long endNs = System.nanoTime() + phase.millis() * NS_PER_MS;
        long sent = 0;
        boolean timesAll = phase.bytes() >= LARGE_BYTES;
        for (boolean going = true; going; sent++) {
            boolean timed = timesAll || (sent & CLOCK_MASK) == 0;
            long now = timed ? System.nanoTime() : 0;
            link.send(out.next());
            if (timed) {
                long after = System.nanoTime();
                latencies.recordValue(Math.max(1, after - now));
                going = after < endNs;
            }
        }
        return sent;
    }

    private long rate(Phase phase, Buffers out, Buffers in, Histogram latencies)
            throws IOException {
        Buffer buffer = in.next();
        long now = System.nanoTime();
        Timetable times = new Timetable(phase, now);
        long sent = 0;
        long received = 0;
        while (received < times.count() || !times.isOver(now)) {
            while (sent < times.count()
                    && sent - received < phase.outstanding()
                    && times.dueNs(sent) - now <= 0) {
                link.send(out.next());
                sent++;
            }
            if (sent > received && link.receive(buffer, false)) {
                buffer = in.next();
                long due = times.dueNs(received);
                latencies.recordValue(Math.max(1, System.nanoTime() - due));
                received++;
            } else {
                (wait == WaitMode.SPIN ? WaitMode.SPIN : WaitMode.YIELD).pause();
            }
            now = System.nanoTime();
            times.check(sent, now);
        }
        return received;
    }

    @Override
    public void close() throws IOException {
        link.close();
    }
}
