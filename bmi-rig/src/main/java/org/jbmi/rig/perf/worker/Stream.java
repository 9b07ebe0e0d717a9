package org.jbmi.rig.perf.worker;

import org.jbmi.PostOptions;
import org.jbmi.PostResult;

import java.lang.foreign.MemorySegment;

/**
 * Messages in one direction. The latency of a large message is the time that it has the connection
 * for itself. It begins with its post, or with the return of the buffer before it if that is later.
 * It ends when the sender has its buffer back. So it is comparable with a plain write, however many
 * messages are under way. Only some small messages are timed, from their post, because reading the
 * clock takes as long as sending.
 */
final class Stream extends ClientFlow {
    private static final int LINE_BYTES = 64;
    private static final int SAMPLE_MASK = 15;
    private static final int LARGE_BYTES = 4096;

    private static final class Slot {
        final MemorySegment out;
        long startNs;

        Slot(MemorySegment out) {
            this.out = out;
        }
    }

    private final Slot[] free;
    private final boolean verify;
    private final boolean unexpected;
    private final boolean timeAll;
    private final int tag;
    private int freeCount;

    /** The time at the latest message that was timed. */
    private long nowNs;

    /** The same at the latest test. */
    private long testedNs;

    private long lastBackNs;

    Stream(Setup setup) {
        super(setup);
        free = new Slot[phase.outstanding()];
        for (int i = 0; i < free.length; i++) {
            free[i] = new Slot(arena.allocate(phase.bytes(), LINE_BYTES));
        }
        freeCount = free.length;
        lastBackNs = System.nanoTime();
        verify = phase.options().verify();
        unexpected = phase.options().unexpected();
        timeAll = phase.bytes() >= LARGE_BYTES;
        tag = PhaseProtocol.dataTag(number, 0);
    }

    @Override
    void run() {
        long endNs = System.nanoTime() + phase.millis() * RoundTrips.NS_PER_MS;
        boolean sending = true;
        while (sending || freeCount < free.length) {
            boolean isDue = false;
            while (sending && freeCount > 0 && !isDue) {
                sending = send(endNs);
                // Else a message that waited would count until no buffer is free. A test for each
                // message would make the sender slower than a program's.
                isDue = freeCount < free.length && nowNs - testedNs >= RoundTrips.NS_PER_MS;
            }
            if (freeCount == free.length) {
                return; // nothing is under way, so no completion would come
            }
            testedNs = nowNs;
            boolean mayWait = freeCount == 0 || !sending;
            int count = context.testContext(done, mayWait ? wait.idleMs() : 0);
            for (int i = 0; i < count; i++) {
                Refusals.checkDone(done.outcome(i).negativeValue());
                if (done.userData(i) instanceof Slot slot) {
                    back(slot);
                }
            }
            if (count == 0 && mayWait) {
                wait.pause();
            }
        }
    }

    /** Sends a message; returns whether there is time for another. */
    private boolean send(long endNs) {
        Slot slot = free[--freeCount];
        boolean timed = timeAll || (sent & SAMPLE_MASK) == 0;
        if (timed) {
            nowNs = System.nanoTime();
        }
        slot.startNs = timed ? nowNs : 0;
        if (verify) {
            Contents.fill(slot.out, sent);
        }
        long result =
                unexpected
                        ? context.postSendUnexpected(
                                server, slot.out, tag, 0, slot, PostOptions.NONE)
                        : context.postSend(server, slot.out, tag, slot);
        Refusals.check(result);
        sent++;
        if (PostResult.isCompleted(result)) {
            back(slot);
        }
        return !timed || slot.startNs < endNs;
    }

    private void back(Slot slot) {
        if (slot.startNs != 0) {
            long backNs = System.nanoTime();
            long sinceNs = timeAll ? Math.max(slot.startNs, lastBackNs) : slot.startNs;
            latencies.recordValue(Math.max(1, backNs - sinceNs));
            lastBackNs = backNs;
        }
        exchanges++;
        free[freeCount++] = slot;
    }
}
