package org.jbmi;

import java.util.List;

/**
 * The options that every instance has, whatever its methods. Options of the C library that are
 * actions rather than values are methods of {@link PeerAddress} or {@link Bmi} here.
 */
public final class Options {
    /**
     * The largest expected message in bytes; without an address the least over all active methods.
     */
    public static final Option<Long> MAX_EXPECTED_BYTES = query("BMI_CHECK_MAXSIZE", 3);

    /**
     * The largest unexpected message in bytes; without an address the least over all active
     * methods.
     */
    public static final Option<Long> MAX_UNEXPECTED_BYTES = query("BMI_GET_UNEXP_SIZE", 10);

    /**
     * Whether a waiting testContext returns early when an unexpected message arrives; default true.
     */
    public static final Option<Boolean> CHECK_UNEXPECTED =
            new Option<>("BMI_TCP_CHECK_UNEXPECTED", Boolean.class, 15, 15, true, true);

    private static final List<Option<?>> ALL =
            List.of(MAX_EXPECTED_BYTES, MAX_UNEXPECTED_BYTES, CHECK_UNEXPECTED);

    private Options() {}

    /**
     * All of them, in the order of their numbers.
     *
     * @return an immutable list
     */
    public static List<Option<?>> all() {
        return ALL;
    }

    private static Option<Long> query(String name, int number) {
        return new Option<>(name, Long.class, number, number, false, true);
    }
}
