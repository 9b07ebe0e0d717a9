package org.jbmi.zbmi.host.port;

import org.jbmi.zbmi.protocol.handshake.Welcome;

/** Opens the engine's end of sessions of one kind. */
@FunctionalInterface
public interface PortOpener {
    /**
     * Opens the engine's end, before the peer gets its welcome. Called by the engine's thread,
     * which must not be delayed: slow work is for a thread of the port.
     *
     * @param welcome the welcome that the peer will get
     * @param maxBacklog most messages that may wait for room
     * @return an open port; closed when the session is over
     * @throws org.jbmi.BmiException with a sentence for the peer, if it cannot be opened
     */
    LanePort host(EngineSegment segment, Welcome welcome, int maxBacklog);
}
