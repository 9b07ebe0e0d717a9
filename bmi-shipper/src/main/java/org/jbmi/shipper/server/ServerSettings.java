package org.jbmi.shipper.server;

import java.util.function.LongSupplier;

/**
 * The settings of a server.
 *
 * @param tagPrefix the first eight bits of its tags
 * @param maxRunning how many handlers run at a time
 * @param maxRunningPerClient how many of them for one session
 * @param maxCallsPerClient how many calls of one session are under way, waiting ones too
 * @param maxWaiting how many calls wait in all
 * @param maxSessionsPerPeer how many of them with one peer
 * @param maxHeldBytes large inputs and outputs that are kept at a time
 * @param maxLeasedBytes memory lent to handlers at a time
 * @param chunkBytes of each message of a transfer
 * @param chunksInFlight how many of them are posted at a time
 * @param transferIdleMs a transfer ends that stands still so long
 * @param introspection whether clients may ask what is under way
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
