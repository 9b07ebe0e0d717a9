package org.jbmi.rig.perf;

import java.util.Locale;

/**
 * How long a cache line took between the two processors while a round ran. On virtual machines this
 * changes within seconds, and figures of rounds that differ in it cannot be compared.
 */
public enum Distance {
    /** A cache line goes there and back in less than 0.2 microseconds. */
    NEAR,
    /** It takes more than 0.3 microseconds. */
    FAR,
    /** One before the round and the other after it, or a time between the two. */
    MIXED;

    private static final double NEAR_US = 0.2;
    private static final double FAR_US = 0.3;

    /**
     * Tells from a calibration before a round and one after it.
     *
     * @param beforeUs a cache line's round trip before
     * @param afterUs the same after
     * @return the distance
     */
    public static Distance of(double beforeUs, double afterUs) {
        if (Math.min(beforeUs, afterUs) > 0 && Math.max(beforeUs, afterUs) < NEAR_US) {
            return NEAR;
        }
        return Math.min(beforeUs, afterUs) > FAR_US ? FAR : MIXED;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
