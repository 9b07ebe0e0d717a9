package org.jbmi.tcp.settings;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What the method counts. */
public final class TcpCounters {
    public final Counter copies;
    public final Counter truncated;
    public final Counter unexpectedHeldBytes;
    public final Counter earlyHeldBytes;
    public final Counter unexpectedAccepted;
    public final Counter connections;
    public final Counter poolBlocks;
    public final Counter leakedBlocks;
    public final Counter accepted;
    public final Counter refusedUntrusted;
    public final Counter protocolErrors;
    public final Counter stalls;
    public final Counter reads;
    public final Counter writes;
    public final Counter drainedBytes;
    public final Counter outOfDescriptors;
    public final Counter lostEarly;
    public final Counter peerChecks;
    public final Counter aheadHeldBytes;
    public final Counter selects;

    public TcpCounters(Counters counters) {
        copies = counters.register(3001, "tcp.copies", "messages");
        truncated = counters.register(3002, "tcp.truncated", "messages");
        unexpectedHeldBytes = counters.register(3003, "tcp.unexpectedHeldBytes", "bytes");
        earlyHeldBytes = counters.register(3004, "tcp.earlyHeldBytes", "bytes");
        unexpectedAccepted = counters.register(3005, "tcp.unexpectedAccepted", "messages");
        connections = counters.register(3006, "tcp.connections", "connections");
        poolBlocks = counters.register(3007, "tcp.poolBlocks", "blocks");
        leakedBlocks = counters.register(3008, "tcp.leakedBlocks", "blocks");
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
        selects = counters.register(3020, "tcp.selects", "calls");
    }
}
