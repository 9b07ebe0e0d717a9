package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.PhaseResult;

import java.util.List;

/**
 * A turn of one side, with the calibrations before and after it.
 *
 * @param result its result
 * @param beforeUs a cache line's round trip before, 0 if unknown
 * @param afterUs the same after
 */
public record Round(PhaseResult result, double beforeUs, double afterUs) {
    /** {@return how far apart the processors were} */
    public Distance distance() {
        return Distance.of(beforeUs, afterUs);
    }

    /**
     * Adds rounds up.
     *
     * @param rounds any
     * @return all of them as one result
     */
    static PhaseResult sum(List<Round> rounds) {
        PhaseResult all = PhaseResult.empty();
        for (Round round : rounds) {
            all = all.then(round.result);
        }
        return all;
    }
}
