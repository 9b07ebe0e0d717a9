package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Welcome;

/**
 * Makes both ends of one kind of client link. Found by {@link java.util.ServiceLoader}, chosen by
 * {@link #name}.
 */
public interface ClientLinkProvider {
    /** The name in the knob and in the handshake, for example {@code "shm"}. */
    String name();

    /**
     * Opens the client's end.
     *
     * @param attachment what the handshake came to; the link owns it from now on, and closes it
     * @param events for what comes by itself
     */
    ClientLink open(PeerAttachment attachment, PeerEvents events);

    /**
     * Opens the engine's end, before the peer is told that it is welcome.
     *
     * @param segment of the daemon
     * @param welcome what the peer will be told
     * @param maxBacklog most messages that may wait for room
     */
    EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog);
}
