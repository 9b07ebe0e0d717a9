package org.jbmi.rig.perf.phase;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.util.concurrent.ThreadLocalRandom;

/**
 * When the requests of {@link Pattern#RATE} are due. It lasts as long as its requests have to last
 * at the wanted rate, so that the rate can be checked against the time. A client begins anywhere
 * within an interval, so that not all clients send at the same moments.
 */
public final class Timetable {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_SECOND = 1e9;

    /** How late a request may be in a phase that is shorter. */
    private static final long LEAST_PATIENCE_MS = 5_000;

    /** How late a request may be in any phase; the coordinator waits a minute longer than it. */
    private static final long MOST_PATIENCE_MS = 30_000;

    private final double intervalNs;
    private final long count;
    private final long firstNs;
    private final long endNs;
    private final long patienceNs;

    /**
     * Makes a timetable of at least one request.
     *
     * @param phase has the rate and about how long it lasts
     */
    public Timetable(Phase phase, long startNs) {
        intervalNs = NS_PER_SECOND / phase.ratePerSecond();
        count = Math.max(1, (long) (phase.millis() * NS_PER_MS / intervalNs));
        firstNs = startNs + (long) (ThreadLocalRandom.current().nextDouble() * intervalNs);
        endNs = startNs + (long) (count * intervalNs);
        long patienceMs = Math.clamp(phase.millis(), LEAST_PATIENCE_MS, MOST_PATIENCE_MS);
        patienceNs = (long) (patienceMs * NS_PER_MS);
    }

    /** {@return the number of requests} */
    public long count() {
        return count;
    }

    /**
     * When a request is due.
     *
     * @param request its number, from 0
     * @return the time; the end for the number behind the last one
     */
    public long dueNs(long request) {
        return request >= count ? endNs : firstNs + (long) (request * intervalNs);
    }

    /**
     * Ends a phase whose rate is out of reach. Its latencies would only say how long the queue has
     * become.
     *
     * @throws BmiException if the next one is too late
     */
    public void check(long sent, long nowNs) {
        if (sent < count && nowNs - dueNs(sent) > patienceNs) {
            throw new BmiException(
                    ErrorCode.ETIMEDOUT,
                    "Only " + sent + " of " + count + " requests were sent in time: lower --rate.");
        }
    }

    /** {@return whether the time of all requests is over} */
    public boolean isOver(long nowNs) {
        return nowNs - endNs >= 0;
    }
}
