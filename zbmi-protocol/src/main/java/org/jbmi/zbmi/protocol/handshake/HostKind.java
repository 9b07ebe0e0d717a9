package org.jbmi.zbmi.protocol.handshake;

import java.util.Locale;

/** In which process the engine runs. */
public enum HostKind {
    /** In the daemon. */
    DAEMON,
    /** In the server's process, in memory that a daemon lends. */
    DIRECT,
    /** In the server's process, which does without a daemon. */
    EMBEDDED;

    static HostKind ofWire(int value) throws HandshakeException {
        return switch (value) {
            case 1 -> DAEMON;
            case 2 -> DIRECT;
            case 3 -> EMBEDDED;
            default -> throw new HandshakeException("a host of kind " + value);
        };
    }

    int toWire() {
        return switch (this) {
            case DAEMON -> 1;
            case DIRECT -> 2;
            case EMBEDDED -> 3;
        };
    }

    /** As the knob {@code zoid.host} calls it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
