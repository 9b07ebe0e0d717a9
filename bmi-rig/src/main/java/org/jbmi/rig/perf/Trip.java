package org.jbmi.rig.perf;

import java.util.Arrays;

/**
 * How long a cache line takes from one processor to another and back, measured in batches of round
 * trips. Between the two times lie those of half of the batches.
 *
 * @param lowUs a quarter of the batches were faster; 0 on a single processor
 * @param highUs a quarter of the batches were slower
 */
public record Trip(double lowUs, double highUs) {
    /** There is only one processor. */
    static final Trip NONE = new Trip(0, 0);

    private static final int QUARTERS = 4;
    private static final double NS_PER_US = 1000;

    /**
     * Looks at batches.
     *
     * @param batchNs the time of each, one or more
     */
    static Trip of(long[] batchNs, int trips) {
        long[] sorted = batchNs.clone();
        Arrays.sort(sorted);
        int quarter = sorted.length / QUARTERS;
        double divisor = trips * NS_PER_US;
        return new Trip(sorted[quarter] / divisor, sorted[sorted.length - 1 - quarter] / divisor);
    }
}
