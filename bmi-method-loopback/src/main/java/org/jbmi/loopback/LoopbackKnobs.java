package org.jbmi.loopback;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.MethodLimits;

import java.util.List;

/** The knobs of the method and what follows from them. */
final class LoopbackKnobs {
    static final Knob<Long> MAX_EXPECTED_BYTES =
            Knob.bytes(
                    "loopback.maxExpectedBytes",
                    128L << 20,
                    1,
                    1L << 40,
                    "The largest expected message of the loopback method.");

    static final Knob<Long> MAX_UNEXPECTED_BYTES =
            Knob.bytes(
                    "loopback.maxUnexpectedBytes",
                    8192,
                    1,
                    64 << 10,
                    "The largest unexpected message that a loopback instance"
                            + " receives or sends.");

    static final Knob<Long> UNEXPECTED_BYTES =
            Knob.bytes(
                    "loopback.unexpectedBytes",
                    1 << 20,
                    64 << 10,
                    64 << 20,
                    "The memory for unexpected messages of a loopback instance,"
                            + " until they are freed.");

    static final Knob<Long> POOL_BYTES =
            Knob.bytes(
                    "loopback.poolBytes",
                    64L << 20,
                    64 << 10,
                    1L << 36,
                    "The memory that a loopback instance can allocate for programs.");

    /** Lists are walked, not copied; the limit bounds the time of one post. */
    private static final int MAX_LIST_COUNT = 1 << 16;

    private LoopbackKnobs() {}

    static List<Knob<?>> all() {
        return List.of(MAX_EXPECTED_BYTES, MAX_UNEXPECTED_BYTES, UNEXPECTED_BYTES, POOL_BYTES);
    }

    static MethodLimits limits(Configuration configuration) {
        return new MethodLimits(
                configuration.get(MAX_EXPECTED_BYTES),
                configuration.get(MAX_UNEXPECTED_BYTES),
                0,
                MAX_LIST_COUNT);
    }
}
