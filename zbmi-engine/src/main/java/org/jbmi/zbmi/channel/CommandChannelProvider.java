package org.jbmi.zbmi.channel;

import org.jbmi.mempool.DeadSegment;
import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Welcome;

import java.util.Optional;

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
     * Whether channels of this kind can be opened in this process, on this machine.
     *
     * @return empty if so, else a sentence part that says why not and what to do
     */
    default Optional<String> unavailabilityReason() {
        return Optional.empty();
    }

    /**
     * The same kind of channel with another answer to the question what becomes of messages that
     * were delivered, if it keeps messages in files; the answer is for {@link #host}.
     *
     * @param keep whether the files stay, also when the session is over, and are the user's then
     * @return what makes such channels
     */
    default CommandChannelProvider keepingFiles(boolean keep) {
        return this;
    }

    /**
     * Opens the server's end.
     *
     * @param attachment what the handshake came to; the channel owns it from now on, and closes it
     * @param events for what comes by itself
     * @return an open channel
     * @throws org.jbmi.BmiException with a sentence, if it cannot be opened
     */
    CommandChannel open(PeerAttachment attachment, PeerEvents events);

    /**
     * Opens the engine's end, before the peer is told that it is welcome. Called by the engine's
     * thread, which has others to serve: what takes long is for a thread of the channel's own.
     *
     * @param segment of the daemon
     * @param welcome what the peer will be told
     * @param maxBacklog most messages that may wait for room
     * @return an open port; closed when the session is over
     * @throws org.jbmi.BmiException with a sentence for the peer, if it cannot be opened
     */
    EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog);

    /**
     * Removes what channels of a dead daemon have left outside of its segment.
     *
     * @param dead whose owner has ended, and which is about to be removed
     */
    default void sweep(DeadSegment dead) {}
}
