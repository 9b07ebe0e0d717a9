package org.jbmi.shipper;

import java.time.Duration;

/** Durations as numbers, without overflow, and as text. */
final class Durations {
    private static final long NS_PER_SECOND = 1_000_000_000;
    private static final long LONGEST_NS = Long.MAX_VALUE / 4;

    private Durations() {}

    static long nanos(Duration duration) {
        if (duration.toSeconds() >= LONGEST_NS / NS_PER_SECOND) {
            return LONGEST_NS;
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }

    /** Rounded up, at least 1 for anything above 0. */
    static long millis(Duration duration) {
        return (nanos(duration) + 999_999) / 1_000_000;
    }

    /** In seconds or milliseconds, for a sentence. */
    static String text(Duration duration) {
        long ms = millis(duration);
        return ms % 1_000 == 0 ? ms / 1_000 + " s" : ms + " ms";
    }
}
