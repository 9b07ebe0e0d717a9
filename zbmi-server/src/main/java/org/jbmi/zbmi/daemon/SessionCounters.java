package org.jbmi.zbmi.daemon;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What is counted on the Unix-domain socket: the "Internal" category of the statistics. */
final class SessionCounters {
    private static final int FIRST_ID = 5000;

    private final Counter framesSent;
    private final Counter bytesSent;
    private final Counter framesReceived;
    private final Counter bytesReceived;
    private final Counter refused;
    private final Counter wakeBytes;

    SessionCounters(Counters counters) {
        framesSent = counters.register(FIRST_ID, StatReport.INTERNAL_SENT, "messages");
        bytesSent = counters.register(FIRST_ID + 1, StatReport.INTERNAL_BYTES_SENT, "bytes");
        framesReceived = counters.register(FIRST_ID + 2, StatReport.INTERNAL_RECEIVED, "messages");
        bytesReceived =
                counters.register(FIRST_ID + 3, StatReport.INTERNAL_BYTES_RECEIVED, "bytes");
        refused = counters.register(FIRST_ID + 4, "zbmi.sessions.refused", "peers");
        wakeBytes = counters.register(FIRST_ID + 5, "zbmi.wakes.socket", "wakes");
    }

    void sent(int bytes) {
        framesSent.increment();
        bytesSent.add(bytes);
    }

    void received(int bytes) {
        framesReceived.increment();
        bytesReceived.add(bytes);
    }

    void woken() {
        wakeBytes.increment();
        sent(1);
    }

    void refused() {
        refused.increment();
    }
}
