package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Footprint;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The results of one run.
 *
 * @param ours results of the target, one per size
 * @param others results of the baselines, in the order of {@code plan.peers()}, names first; each
 *     has one per size
 * @param calibrationBeforeUs a cache line's round trip before
 * @param calibrationAfterUs the same after
 * @param slowdown how many times as long two processors calculate when both do; 0 on one
 * @param load of the machine, before
 * @param held the memory and threads of many connections; null for one connection
 * @param remarks what a reader would not expect
 */
public record Findings(
        PerfPlan plan,
        List<Finding> ours,
        List<List<Finding>> others,
        double calibrationBeforeUs,
        double calibrationAfterUs,
        double slowdown,
        double load,
        @Nullable Held held,
        List<String> remarks) {
    /**
     * The memory and threads that many connections need in addition to those without connections.
     *
     * @param server of the server's process, and the daemon's if there is one; null if others
     *     started the server
     * @param clients of all client processes
     */
    public record Held(int connections, @Nullable Footprint server, Footprint clients) {}

    /**
     * Least, middle and greatest of some figures.
     *
     * @param median middle; of an even number of figures the mean of the two in the middle
     */
    public record Spread(double min, double median, double max, int count) {
        /**
         * The spread of some figures.
         *
         * @param figures one or more
         */
        public static Spread of(List<Double> figures) {
            List<Double> sorted = new ArrayList<>(figures);
            Collections.sort(sorted);
            int count = sorted.size();
            return new Spread(
                    sorted.getFirst(),
                    (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2,
                    sorted.getLast(),
                    count);
        }
    }

    /**
     * The ratios of two sides, round by round.
     *
     * @param mine the result of the target
     * @param theirs the result of a baseline, with the same rounds
     * @param distance the distance of both turns of a round, or null for all rounds
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
