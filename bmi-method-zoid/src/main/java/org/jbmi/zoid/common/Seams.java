package org.jbmi.zoid.common;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.mempool.Waiting;
import org.jbmi.observe.Counter;

/**
 * What a half of the method uses of the system. A simulation replaces it.
 *
 * @param clock for timeouts
 * @param waiting how to sleep and wake
 * @param liveness which processes live
 * @param parking how threads of one process wait for each other
 */
public record Seams(NanoClock clock, Waiting waiting, Liveness liveness, Parking parking) {
    /** The running system. */
    public static Seams production() {
        return production(new FutexWaiting());
    }

    /**
     * The running system.
     *
     * @param futexCalls counts the system calls of sleeps and wakes
     */
    public static Seams production(Counter futexCalls) {
        FutexWaiting waiting = new FutexWaiting();
        waiting.onSystemCall(futexCalls::increment);
        return production(waiting);
    }

    private static Seams production(FutexWaiting waiting) {
        return new Seams(NanoClock.SYSTEM, waiting, new ProcessLiveness(), ThreadParking.INSTANCE);
    }
}
