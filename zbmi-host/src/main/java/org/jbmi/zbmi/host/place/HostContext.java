package org.jbmi.zbmi.host.place;

import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;

/**
 * The services that the parts of one host share.
 *
 * @param clock for intervals
 * @param waiting sleeps and wakes
 * @param liveness which processes live
 * @param errors collects errors
 * @param sessionCounters counters of the socket
 * @param handshakeTimeoutNs time for an introduction
 */
public record HostContext(
        NanoClock clock,
        Waiting waiting,
        Liveness liveness,
        ErrorLog errors,
        SessionCounters sessionCounters,
        long handshakeTimeoutNs) {}
