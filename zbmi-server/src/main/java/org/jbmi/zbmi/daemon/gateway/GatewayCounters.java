package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** The counters of a gateway. Written by its thread alone. */
final class GatewayCounters {
    private static final int FIRST_ID = 5400;

    final Counter connected;
    final Counter accepted;
    final Counter refused;
    final Counter evicted;
    final Counter framesReceived;
    final Counter framesSent;
    final Counter bytesReceived;
    final Counter bytesSent;

    GatewayCounters(Counters counters) {
        connected = counters.register(FIRST_ID, "zbmi.gateway.connected", "clients");
        accepted = counters.register(FIRST_ID + 1, "zbmi.gateway.accepted", "clients");
        refused = counters.register(FIRST_ID + 2, "zbmi.gateway.refused", "clients");
        evicted = counters.register(FIRST_ID + 3, "zbmi.gateway.evicted", "clients");
        framesReceived = counters.register(FIRST_ID + 4, "zbmi.gateway.framesReceived", "frames");
        framesSent = counters.register(FIRST_ID + 5, "zbmi.gateway.framesSent", "frames");
        bytesReceived = counters.register(FIRST_ID + 6, "zbmi.gateway.bytesReceived", "bytes");
        bytesSent = counters.register(FIRST_ID + 7, "zbmi.gateway.bytesSent", "bytes");
    }
}
