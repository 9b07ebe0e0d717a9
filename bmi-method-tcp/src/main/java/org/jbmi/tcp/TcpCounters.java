package org.jbmi.tcp;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What the method counts. */
final class TcpCounters {
    final Counter copies;
    final Counter truncated;
    final Counter unexpectedHeldBytes;
    final Counter earlyHeldBytes;
    final Counter unexpectedAccepted;
    final Counter connections;
    final Counter accepted;
    final Counter refusedUntrusted;
    final Counter protocolErrors;
    final Counter stalls;
    final Counter reads;
    final Counter writes;
    final Counter drainedBytes;
    final Counter outOfDescriptors;
    final Counter lostEarly;
    final Counter peerChecks;
    final Counter aheadHeldBytes;

    TcpCounters(Counters counters) {
        copies = counters.register(3001, "tcp.copies", "messages");
        truncated = counters.register(3002, "tcp.truncated", "messages");
        unexpectedHeldBytes = counters.register(3003, "tcp.unexpectedHeldBytes", "bytes");
        earlyHeldBytes = counters.register(3004, "tcp.earlyHeldBytes", "bytes");
        unexpectedAccepted = counters.register(3005, "tcp.unexpectedAccepted", "messages");
        connections = counters.register(3006, "tcp.connections", "connections");
        accepted = counters.register(3009, "tcp.accepted", "connections");
        refusedUntrusted = counters.register(3010, "tcp.refusedUntrusted", "connections");
        protocolErrors = counters.register(3011, "tcp.protocolErrors", "connections");
        stalls = counters.register(3012, "tcp.stalls", "connections");
        reads = counters.register(3013, "tcp.reads", "calls");
        writes = counters.register(3014, "tcp.writes", "calls");
        drainedBytes = counters.register(3015, "tcp.drainedBytes", "bytes");
        outOfDescriptors = counters.register(3016, "tcp.outOfDescriptors", "connections");
        lostEarly = counters.register(3017, "tcp.lostEarly", "messages");
        peerChecks = counters.register(3018, "tcp.peerChecks", "checks");
        aheadHeldBytes = counters.register(3019, "tcp.aheadHeldBytes", "bytes");
    }
}
