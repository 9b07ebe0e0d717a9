package org.jbmi.shipper.client;

import java.util.function.LongSupplier;

/**
 * The settings of a client: the knobs of the same names, as {@code ShipperKnobs} explains them. The
 * deadline is that of a call that names none. After {@code lingerNs} the pump's own thread takes
 * over. The clock gives nanoseconds.
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
