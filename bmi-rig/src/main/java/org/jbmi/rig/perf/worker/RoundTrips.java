package org.jbmi.rig.perf.worker;

import org.jbmi.PostOptions;
import org.jbmi.PostResult;

import java.lang.foreign.MemorySegment;

/** Round trips, some of them under way at once; when one ends, the next one begins. */
class RoundTrips extends ClientFlow {
    static final long NS_PER_MS = 1_000_000;
    private static final int LINE_BYTES = 64;
    private static final int PARTS = 2;

    /** The buffers and state of one exchange under way. */
    static final class Slot {
        final int tag;
        final MemorySegment out;
        final MemorySegment in;
        long startNs;
        long seed;
        int parts;

        Slot(int tag, MemorySegment out, MemorySegment in) {
            this.tag = tag;
            this.out = out;
            this.in = in;
        }
    }

    private final Slot[] free;
    private final boolean verify;
    private final boolean unexpected;
    private int freeCount;
    private long seeds;

    RoundTrips(Setup setup) {
        super(setup);
        free = new Slot[phase.outstanding()];
        verify = phase.options().verify();
        unexpected = phase.pattern().hasUnexpectedRequests();
        for (int i = 0; i < free.length; i++) {
            MemorySegment out = arena.allocate(phase.bytes(), LINE_BYTES);
            MemorySegment in = arena.allocate(phase.bytes(), LINE_BYTES);
            free[i] = new Slot(PhaseProtocol.dataTag(number, i), out, in);
        }
        freeCount = free.length;
        seeds = (long) number << Integer.SIZE;
    }

    @Override
    void run() {
        long now = System.nanoTime();
        long endNs = now + phase.millis() * NS_PER_MS;
        while (now < endNs || isBusy()) {
            while (now < endNs && freeCount > 0) {
                begin(now);
            }
            now = takeOr(now);
        }
    }

    final boolean isBusy() {
        return freeCount < free.length;
    }

    final boolean hasFree() {
        return freeCount > 0;
    }

    /** Begins an exchange whose latency counts from a time. */
    final void begin(long startNs) {
        Slot slot = free[--freeCount];
        slot.startNs = startNs;
        slot.parts = PARTS;
        if (verify) {
            slot.seed = ++seeds;
            Contents.fill(slot.out, slot.seed);
        }
        account(slot, context.postReceive(server, slot.in, slot.tag, slot));
        account(
                slot,
                unexpected
                        ? context.postSendUnexpected(
                                server, slot.out, slot.tag, 0, slot, PostOptions.NONE)
                        : context.postSend(server, slot.out, slot.tag, slot));
        sent++;
    }

    private void account(Slot slot, long result) {
        Refusals.check(result);
        if (PostResult.isCompleted(result)) {
            part(slot, slot.startNs);
        }
    }

    /** Takes completions; returns the time after that, or the given time if there were none. */
    private long takeOr(long nowNs) {
        int count = take(wait.idleMs());
        if (count > 0) {
            return finished(count);
        }
        wait.pause();
        return nowNs;
    }

    /** Takes completions. */
    final int take(long idleMs) {
        return context.testContext(done, idleMs);
    }

    /** Counts the exchanges that have ended; returns the time. */
    final long finished(int count) {
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Refusals.checkDone(done.outcome(i).negativeValue());
            if (done.userData(i) instanceof Slot slot) {
                part(slot, now);
            }
        }
        return now;
    }

    private void part(Slot slot, long nowNs) {
        if (--slot.parts == 0) {
            latencies.recordValue(Math.max(1, nowNs - slot.startNs));
            exchanges++;
            if (verify && !Contents.isRight(slot.in, 0, slot.in.byteSize(), slot.seed)) {
                wrong++;
            }
            free[freeCount++] = slot;
        }
    }
}
