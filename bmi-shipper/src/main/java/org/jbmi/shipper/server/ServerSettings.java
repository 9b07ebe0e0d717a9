package org.jbmi.shipper.server;

import java.util.function.LongSupplier;

/**
 * The settings of a server; {@code ShipperKnobs} explains the knobs of these names.
 *
 * @param ownThreads whether the server has threads; else only the program makes progress
 * @param countsReferences whether the instance counts a reference for each message
 * @param clock nanoseconds
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
