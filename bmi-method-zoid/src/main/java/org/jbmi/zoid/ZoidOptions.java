package org.jbmi.zoid;

import org.jbmi.Option;

import java.util.List;

/** The options of the zoid method. */
public final class ZoidOptions {
    /**
     * How many milliseconds a post of a client waits for its operation to end before it returns
     * pending; at first the knob {@code zoid.postTimeoutMs}. A negative value fails with EINVAL. A
     * server accepts the option and ignores it.
     */
    public static final Option<Integer> POST_TIMEOUT_MS =
            new Option<>("BMI_ZOID_POST_TIMEOUT", Integer.class, 16, -1, true, true);

    private static final List<Option<?>> ALL = List.of(POST_TIMEOUT_MS);

    private ZoidOptions() {}

    /**
     * All of them.
     *
     * @return an immutable list
     */
    public static List<Option<?>> all() {
        return ALL;
    }
}
