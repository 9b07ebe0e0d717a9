package org.jbmi.core;

import org.jbmi.config.Knob;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.WaitPolicy;

import java.util.List;

/** The knobs of the core. */
public final class CoreKnobs {
    /** How many contexts may be open at a time. */
    public static final Knob<Long> MAX_CONTEXTS =
            Knob.number(
                    "bmi.maxContexts", "contexts", 16, 1, 4096, "How many contexts may be open.");

    /** How many operations may be pending at a time. */
    public static final Knob<Long> MAX_OPERATIONS =
            Knob.number(
                    "bmi.maxOperations",
                    "operations",
                    1 << 17,
                    64,
                    1 << 22,
                    "How many operations may be pending or unreported; a further post is refused.");

    /** The longest address string. */
    public static final Knob<Long> MAX_ADDRESS_LENGTH =
            Knob.number(
                    "bmi.maxAddressLength",
                    "characters",
                    2048,
                    16,
                    65_536,
                    "The longest address that can be looked up.");

    /** How long a close waits for transfers, over all methods. */
    public static final Knob<Long> CLOSE_WAIT_MS =
            Knob.millis(
                    "bmi.closeWaitMs",
                    3_000,
                    0,
                    600_000,
                    "How long the close of an instance or a context waits for"
                            + " transfers that cannot be stopped; all methods of an instance"
                            + " together.");

    private CoreKnobs() {}

    /** All of them. */
    public static List<Knob<?>> all() {
        return List.of(
                MAX_CONTEXTS,
                MAX_OPERATIONS,
                MAX_ADDRESS_LENGTH,
                WaitPolicy.MODE,
                WaitPolicy.SPIN_NS,
                CLOSE_WAIT_MS,
                AllocationTracking.KNOB);
    }
}
