package org.jbmi.zbmi.host.place;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** Counters of the Unix-domain socket: the "Internal" category of the statistics. */
public final class SessionCounters {
    /** Label: frames to peers. */
    public static final String INTERNAL_SENT = "zbmi.internal.messagesSent";

    /** Label: bytes to peers. */
    public static final String INTERNAL_BYTES_SENT = "zbmi.internal.bytesSent";

    /** Label: frames from peers. */
    public static final String INTERNAL_RECEIVED = "zbmi.internal.messagesReceived";

    /** Label: bytes from peers. */
    public static final String INTERNAL_BYTES_RECEIVED = "zbmi.internal.bytesReceived";

    private static final int FIRST_ID = 5000;

    private final Counter framesSent;
    private final Counter bytesSent;
    private final Counter framesReceived;
    private final Counter bytesReceived;
    private final Counter wakeBytes;

    /** Peers that were refused. */
    public final Counter refused;

    /** Registers them. */
    public SessionCounters(Counters counters) {
        framesSent = counters.register(FIRST_ID, INTERNAL_SENT, "messages");
        bytesSent = counters.register(FIRST_ID + 1, INTERNAL_BYTES_SENT, "bytes");
        framesReceived = counters.register(FIRST_ID + 2, INTERNAL_RECEIVED, "messages");
        bytesReceived = counters.register(FIRST_ID + 3, INTERNAL_BYTES_RECEIVED, "bytes");
        refused = counters.register(FIRST_ID + 4, "zbmi.sessions.refused", "peers");
        wakeBytes = counters.register(FIRST_ID + 5, "zbmi.wakes.socket", "wakes");
    }

    /** Counts a frame that was sent. */
    public void sent(int bytes) {
        framesSent.increment();
        bytesSent.add(bytes);
    }

    /** Counts a frame that came. */
    public void received(int bytes) {
        framesReceived.increment();
        bytesReceived.add(bytes);
    }

    /** Counts a wake-up that was sent. */
    public void woken() {
        wakeBytes.increment();
        sent(1);
    }
}
