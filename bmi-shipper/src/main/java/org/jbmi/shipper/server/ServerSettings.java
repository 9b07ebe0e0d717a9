package org.jbmi.shipper.server;

import java.util.function.LongSupplier;

/**
 * The settings of a server: the knobs of the same names, as {@code ShipperKnobs} explains them.
 * {@code countsReferences} says whether the instance counts a reference for each message. The clock
 * gives nanoseconds.
 */
public record ServerSettings(
        int tagPrefix,
        int maxRunning,
        int maxRunningPerClient,
        int maxCallsPerClient,
        int maxWaiting,
        int maxSessions,
        int maxSessionsPerPeer,
        int maxInputBytes,
        int maxOutputBytes,
        long maxHeldBytes,
        long maxLeasedBytes,
        int chunkBytes,
        int chunksInFlight,
        long transferIdleMs,
        long closeWaitMs,
        boolean ownThreads,
        boolean introspection,
        boolean countsReferences,
        LongSupplier clock) {}
