package org.jbmi.rig.perf;

import java.util.Locale;

/**
 * How long a cache line took between the two processors while a round ran. On virtual machines this
 * changes within seconds, and figures of rounds that differ in it cannot be compared.
 */
public enum Distance {
    /** A cache line goes there and back in less than 0.2 microseconds, nearly always. */
    NEAR,
    /** It takes more than 0.3 microseconds, nearly always. */
    FAR,
    /** Sometimes the one, sometimes the other, or a time between the two. */
    MIXED;

    private static final double NEAR_US = 0.2;
    private static final double FAR_US = 0.3;

    /**
     * Tells from a calibration before a round and one after it.
     *
     * @param before a cache line's round trip before
     * @param after the same after
     */
    public static Distance of(Trip before, Trip after) {
        double leastUs = Math.min(before.lowUs(), after.lowUs());
        if (leastUs > 0 && Math.max(before.highUs(), after.highUs()) < NEAR_US) {
            return NEAR;
        }
        return leastUs > FAR_US ? FAR : MIXED;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
