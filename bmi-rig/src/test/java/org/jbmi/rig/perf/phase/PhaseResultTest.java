package org.jbmi.rig.perf.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.PhaseResult.Costs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** What results of flows, of processes and of rounds make together. */
@Timeout(30)
final class PhaseResultTest {
    private static Meter.Reading cpu(long ns) {
        return new Meter.Reading(0, 0, ns, ns, 0);
    }

    private static PhaseResult of(long exchanges, long beforeNs, long afterNs) {
        Costs costs = new Costs(Meter.Reading.NONE, cpu(beforeNs), cpu(afterNs), 0);
        return new PhaseResult(
                PhaseResult.newHistogram(), exchanges, 1000, costs, List.of(exchanges));
    }

    private static PhaseResult lasting(long elapsedNs, List<Long> flows, long... latencies) {
        Histogram histogram = PhaseResult.newHistogram();
        for (long ns : latencies) {
            histogram.recordValue(ns);
        }
        return new PhaseResult(histogram, latencies.length, elapsedNs, Costs.NONE, flows);
    }

    private static void assertLatencies(PhaseResult result, long count, long min, long max) {
        assertEquals(count, result.exchanges());
        assertEquals(count, result.latencies().getTotalCount());
        assertEquals(min, result.latencies().getMinValue());
        assertEquals(max, result.latencies().getMaxValue());
    }

    @Test
    void clientsAtTheSameTimeTakeTheLongerTime() {
        PhaseResult one = lasting(1000, List.of(2L), 50, 60);
        PhaseResult other = lasting(700, List.of(1L, 0L), 10);
        for (PhaseResult both : List.of(one.with(other), other.with(one), one.withPair(other))) {
            assertEquals(1000, both.elapsedNs());
            assertLatencies(both, 3, 10, 60);
        }
        assertEquals(List.of(2L, 1L, 0L), one.with(other).flows());
        assertEquals(List.of(1L, 0L, 2L), other.with(one).flows());
    }

    @Test
    void roundsOfEachClientAddUp() {
        PhaseResult one = lasting(1000, List.of(2L), 50, 60);
        PhaseResult other = lasting(700, List.of(1L, 7L), 10);
        for (PhaseResult both : List.of(one.then(other), other.then(one))) {
            assertEquals(1700, both.elapsedNs());
            assertLatencies(both, 3, 10, 60);
            assertEquals(List.of(3L, 7L), both.flows());
        }
        assertEquals(List.of(2L), PhaseResult.empty().then(one).flows());
        assertLatencies(one, 2, 50, 60);
    }

    @Test
    void theServerIsPaidFromTheLastBeginningToTheLastEnd() {
        // The first flow was through when the second had hardly begun to be served.
        PhaseResult both = PhaseResult.empty().with(of(10, 100, 200)).with(of(10, 120, 900));
        assertEquals(20, both.exchanges());
        assertEquals(780, both.costs().server().cpuNs());
    }

    @Test
    void roundsAddUp() {
        PhaseResult both = PhaseResult.empty().then(of(10, 100, 200)).then(of(10, 900, 950));
        assertEquals(150, both.costs().server().cpuNs());
        assertEquals(2000, both.elapsedNs());
    }

    @Test
    void theBestTestCallCountsAndNoneIsNoTime() {
        PhaseResult all = PhaseResult.empty();
        for (double ns : new double[] {30, 0, 20, 40}) {
            PhaseResult one =
                    new PhaseResult(
                            PhaseResult.newHistogram(),
                            1,
                            1,
                            Costs.of(Meter.Reading.NONE, Meter.Reading.NONE, ns),
                            List.of(1L));
            all = ns == 20 ? all.with(one) : all.then(one);
        }
        assertEquals(20, all.costs().testCallNs());
    }

    @Test
    void aLineKeepsWhenTheServerWasAsked() {
        PhaseResult one = PhaseResult.parse(of(10, 100, 200).line());
        PhaseResult other = PhaseResult.parse(of(10, 300, 450).line());
        assertEquals(150, one.with(other).costs().server().cpuNs());
    }
}
