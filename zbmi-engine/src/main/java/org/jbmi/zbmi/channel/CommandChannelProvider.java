package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Welcome;

/**
 * Makes both ends of one kind of command channel. Found by {@link java.util.ServiceLoader}, chosen
 * by {@link #name}.
 */
public interface CommandChannelProvider {
    /**
     * The name in the knob and in the handshake.
     *
     * @return for example {@code "ring"}
     */
    String name();

    /**
     * Opens the server's end.
     *
     * @param attachment what the handshake came to; the channel owns it from now on, and closes it
     * @param events for what comes by itself
     * @return an open channel
     */
    CommandChannel open(PeerAttachment attachment, PeerEvents events);

    /**
     * Opens the engine's end, before the peer is told that it is welcome.
     *
     * @param segment of the daemon
     * @param welcome what the peer will be told
     * @param maxBacklog most messages that may wait for room
     * @return an open port
     */
    EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog);
}
