package org.jbmi.zbmi.protocol.handshake;

import org.jbmi.zbmi.protocol.SegmentMap;

/** A frame of a peer that speaks another version of the protocol. */
public final class OtherVersionException extends HandshakeException {
    private static final long serialVersionUID = 1L;
    private final int version;

    OtherVersionException(int version) {
        super("protocol version " + version + ", not " + SegmentMap.PROTOCOL_VERSION);
        this.version = version;
    }

    /** The peer's version. */
    public int version() {
        return version;
    }
}
