package org.jbmi.zbmi.host.place;

import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;

/** The services that the parts of one host share. */
public record HostContext(
        NanoClock clock,
        Waiting waiting,
        Liveness liveness,
        ErrorLog errors,
        SessionCounters sessionCounters,
        long handshakeTimeoutNs) {}
