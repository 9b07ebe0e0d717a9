package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.PhaseResult;

import java.util.List;

/**
 * A turn of one side, with the calibrations before and after it.
 *
 * @param before a cache line's round trip before
 * @param after the same after
 * @param stolenPercent how much of it a processor was taken from this machine, at least
 */
public record Round(PhaseResult result, Trip before, Trip after, double stolenPercent) {
    private static final double MOST_STOLEN_PERCENT = 2;

    /** {@return how far apart the processors were; mixed if one was taken away meanwhile} */
    public Distance distance() {
        return stolenPercent > MOST_STOLEN_PERCENT ? Distance.MIXED : Distance.of(before, after);
    }

    /** Adds rounds up. */
    static PhaseResult sum(List<Round> rounds) {
        PhaseResult all = PhaseResult.empty();
        for (Round round : rounds) {
            all = all.then(round.result);
        }
        return all;
    }
}
