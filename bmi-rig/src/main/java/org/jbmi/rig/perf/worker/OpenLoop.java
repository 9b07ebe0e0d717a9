package org.jbmi.rig.perf.worker;

import org.jbmi.rig.perf.phase.WaitMode;

/**
 * Requests at fixed times, independent of the replies. A latency counts from the time at which the
 * request was due, so that a stall shows in all requests that it delays, not only in the one that
 * was under way.
 */
final class OpenLoop extends RoundTrips {
    private static final double NS_PER_SECOND = 1e9;
    private static final long WORTH_SLEEPING_NS = 2_000_000;

    OpenLoop(Setup setup) {
        super(setup);
    }

    @Override
    void run() {
        double intervalNs = NS_PER_SECOND / phase.ratePerSecond();
        long startNs = System.nanoTime();
        long wanted = (long) (phase.millis() * NS_PER_MS / intervalNs);
        long begun = 0;
        while (begun < wanted || isBusy()) {
            long now = System.nanoTime();
            long dueNs = startNs + (long) (begun * intervalNs);
            while (begun < wanted && hasFree() && dueNs - now <= 0) {
                begin(dueNs);
                dueNs = startNs + (long) (++begun * intervalNs);
            }
            boolean far = begun == wanted || !hasFree() || dueNs - now > WORTH_SLEEPING_NS;
            int count = take(far && wait.isBlocking() ? 1 : 0);
            if (count > 0) {
                finished(count);
            } else {
                (wait == WaitMode.SPIN ? WaitMode.SPIN : WaitMode.YIELD).pause();
            }
        }
    }
}
