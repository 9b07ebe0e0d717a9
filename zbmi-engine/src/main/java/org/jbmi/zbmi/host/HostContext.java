package org.jbmi.zbmi.host;

import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;

/**
 * What the parts of one host share.
 *
 * @param clock for intervals
 * @param waiting how the engine's thread sleeps, and how peers are woken
 * @param liveness who lives
 * @param errors where errors are told
 * @param sessionCounters what is counted on the socket
 * @param handshakeTimeoutNs time for an introduction
 */
public record HostContext(
        NanoClock clock,
        Waiting waiting,
        Liveness liveness,
        ErrorLog errors,
        SessionCounters sessionCounters,
        long handshakeTimeoutNs) {}
