package org.jbmi.zbmi.protocol.handshake;

/** The role that a process asks for in its hello. */
public enum PeerRole {
    /** One of many: sends unexpected messages, moves payload. */
    CLIENT,
    /** The one that listens. */
    SERVER;

    static PeerRole ofWire(int value) throws HandshakeException {
        return switch (value) {
            case 1 -> CLIENT;
            case 2 -> SERVER;
            default -> throw new HandshakeException("a role of " + value);
        };
    }

    int toWire() {
        return this == CLIENT ? 1 : 2;
    }
}
