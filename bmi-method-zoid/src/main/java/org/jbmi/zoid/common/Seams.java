package org.jbmi.zoid.common;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.mempool.Waiting;

/**
 * What a half of the method needs of the world around it, so that it can run in a simulated one.
 *
 * @param clock for timeouts
 * @param waiting how to sleep and wake
 * @param liveness who lives
 * @param parking how a thread waits for another one of its process
 */
public record Seams(NanoClock clock, Waiting waiting, Liveness liveness, Parking parking) {
    /** The running system. */
    public static Seams production() {
        return new Seams(
                SystemNanoClock.INSTANCE,
                new FutexWaiting(),
                new ProcessLiveness(),
                ThreadParking.INSTANCE);
    }
}
