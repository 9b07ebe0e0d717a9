package org.jbmi.rig.perf.worker;

import org.jbmi.rig.perf.phase.Timetable;
import org.jbmi.rig.perf.phase.WaitMode;

/**
 * Requests at fixed times, independent of the replies. A latency counts from the time at which the
 * request was due. So a stall shows in all requests that it delays, not only in the request that
 * was under way.
 */
final class OpenLoop extends RoundTrips {
    private static final long WORTH_SLEEPING_NS = 2_000_000;

    OpenLoop(Setup setup) {
        super(setup);
    }

    @Override
    void run() {
        long now = System.nanoTime();
        Timetable times = new Timetable(phase, now);
        long begun = 0;
        while (begun < times.count() || isBusy() || !times.isOver(now)) {
            long dueNs = times.dueNs(begun);
            while (begun < times.count() && hasFree() && dueNs - now <= 0) {
                begin(dueNs);
                dueNs = times.dueNs(++begun);
            }
            boolean maySleep = !hasFree() || isNothingDueSoon(times, begun, now);
            int count = take(maySleep && wait.isBlocking() ? 1 : 0);
            if (count > 0) {
                finished(count);
            } else {
                (wait == WaitMode.SPIN ? WaitMode.SPIN : WaitMode.YIELD).pause();
            }
            now = System.nanoTime();
            times.check(begun, now);
        }
    }

    /** Whether a thread waits only for replies, at least for a while. */
    static boolean isNothingDueSoon(Timetable times, long begun, long now) {
        boolean isEnd = begun == times.count() && times.isOver(now);
        return isEnd || times.dueNs(begun) - now > WORTH_SLEEPING_NS;
    }
}
