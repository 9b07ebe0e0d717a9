package org.jbmi.shipper.client;

import java.util.function.LongSupplier;

/**
 * The settings of a client.
 *
 * @param tagPrefix the first eight bits of its tags
 * @param inboxBytes the largest message from a server
 * @param maxCalls how many calls may be under way to one server
 * @param defaultDeadlineMs of a call that names none; 0 for none
 * @param chunksInFlight how many chunks of a transfer are posted at a time
 * @param connectTimeoutMs how long to wait for a server's welcome
 * @param lingerNs when the pump's thread takes over
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
