package org.jbmi.shipper.client;

import java.util.function.LongSupplier;

/**
 * The settings of a client; {@code ShipperKnobs} explains the knobs of these names.
 *
 * @param defaultDeadlineMs of a call that names none: the knob {@code shipper.deadlineMs}
 * @param lingerNs once no thread of the program has waited for so long, the pump's own thread makes
 *     progress: the knob {@code shipper.lingerUs}
 * @param ownThread whether the pump has a thread; else only the program makes progress
 * @param clock nanoseconds
 */
public record ClientSettings(
        int tagPrefix,
        int inboxBytes,
        int maxCalls,
        long defaultDeadlineMs,
        int maxInputBytes,
        int maxOutputBytes,
        int chunksInFlight,
        long connectTimeoutMs,
        long closeWaitMs,
        long lingerNs,
        boolean ownThread,
        LongSupplier clock) {}
