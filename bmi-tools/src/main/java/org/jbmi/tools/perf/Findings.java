package org.jbmi.tools.perf;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Everything that one run measured.
 *
 * @param plan what was asked for
 * @param ours of the target, one a size
 * @param others of the baselines, in the order of {@code plan.versus()}, each one a size
 * @param calibrationBeforeUs a cache line's round trip before
 * @param calibrationAfterUs the same after
 * @param load of the machine, before
 * @param remarks what was not as it might be expected
 */
public record Findings(
        PerfPlan plan,
        List<Finding> ours,
        List<List<Finding>> others,
        double calibrationBeforeUs,
        double calibrationAfterUs,
        double load,
        List<String> remarks) {
    /**
     * Least, middle and greatest of some figures.
     *
     * @param min least
     * @param median middle
     * @param max greatest
     */
    public record Spread(double min, double median, double max) {
        /**
         * Of some figures.
         *
         * @param figures one or more
         * @return their spread
         */
        public static Spread of(List<Double> figures) {
            List<Double> sorted = new ArrayList<>(figures);
            Collections.sort(sorted);
            return new Spread(sorted.getFirst(), sorted.get(sorted.size() / 2), sorted.getLast());
        }
    }

    /**
     * Ours over theirs, round by round.
     *
     * @param mine of the target
     * @param theirs of a baseline, with the same rounds
     * @return the spread of the ratios
     */
    public static Spread ratio(Finding mine, Finding theirs) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < mine.figures().size(); i++) {
            double other = theirs.figures().get(i);
            ratios.add(other == 0 ? 0 : mine.figures().get(i) / other);
        }
        return Spread.of(ratios);
    }
}
