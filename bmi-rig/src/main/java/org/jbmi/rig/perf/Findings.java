package org.jbmi.rig.perf;

import org.jbmi.rig.perf.worker.Footprint;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Everything that one run measured.
 *
 * @param plan what was asked for
 * @param ours of the target, one a size
 * @param others of the baselines, in the order of {@code plan.peers()}, names first, each one a
 *     size
 * @param calibrationBeforeUs a cache line's round trip before
 * @param calibrationAfterUs the same after
 * @param load of the machine, before
 * @param held what many connections hold, or null for one
 * @param remarks what was not as it might be expected
 */
public record Findings(
        PerfPlan plan,
        List<Finding> ours,
        List<List<Finding>> others,
        double calibrationBeforeUs,
        double calibrationAfterUs,
        double load,
        @Nullable Held held,
        List<String> remarks) {
    /**
     * What many connections hold, beyond what is there without any.
     *
     * @param connections how many
     * @param server of the server's process, and the daemon's if there is one
     * @param clients of all client processes
     */
    public record Held(int connections, Footprint server, Footprint clients) {}

    /**
     * Least, middle and greatest of some figures.
     *
     * @param min least
     * @param median middle
     * @param max greatest
     * @param count how many
     */
    public record Spread(double min, double median, double max, int count) {
        /**
         * Of some figures.
         *
         * @param figures one or more
         * @return their spread
         */
        public static Spread of(List<Double> figures) {
            List<Double> sorted = new ArrayList<>(figures);
            Collections.sort(sorted);
            return new Spread(
                    sorted.getFirst(),
                    sorted.get(sorted.size() / 2),
                    sorted.getLast(),
                    sorted.size());
        }
    }

    /**
     * Ours over theirs, round by round.
     *
     * @param mine of the target
     * @param theirs of a baseline, with the same rounds
     * @param distance in which both turns of a round must have been, or null for all rounds
     * @return the spread of the ratios, null if there is no such round
     */
    public static @Nullable Spread ratio(
            Finding mine, Finding theirs, @Nullable Distance distance) {
        List<Double> ratios = new ArrayList<>();
        List<Double> own = mine.figures();
        List<Double> others = theirs.figures();
        for (int i = 0; i < own.size(); i++) {
            boolean counts =
                    distance == null
                            || (mine.rounds().get(i).distance() == distance
                                    && theirs.rounds().get(i).distance() == distance);
            double other = others.get(i);
            if (counts && other > 0) {
                ratios.add(own.get(i) / other);
            }
        }
        return ratios.isEmpty() ? null : Spread.of(ratios);
    }
}
