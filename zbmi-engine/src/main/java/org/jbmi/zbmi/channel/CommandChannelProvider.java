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
     * The same kind of channel with another setting for the files of delivered messages, if it has
     * any; used by {@link #host}.
     *
     * @param keep whether the files stay, also when the session is over, and are the user's then
     * @return a provider with this setting
     */
    default CommandChannelProvider keepingFiles(boolean keep) {
        return this;
    }

    /**
     * Opens the server's end.
     *
     * @param attachment the result of the handshake; the channel owns it from now on, and closes it
     * @param events gets the engine's events
     * @return an open channel
     * @throws org.jbmi.BmiException with a sentence, if it cannot be opened
     */
    CommandChannel open(PeerAttachment attachment, PeerEvents events);

    /**
     * Opens the engine's end, before the peer gets its welcome. Called by the engine's thread,
     * which must not be delayed: slow work is for a thread of the channel.
     *
     * @param segment of the daemon
     * @param welcome the welcome that the peer will get
     * @param maxBacklog most messages that may wait for room
     * @return an open port; closed when the session is over
     * @throws org.jbmi.BmiException with a sentence for the peer, if it cannot be opened
     */
    EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog);

    /**
     * Removes files and queues of a dead daemon's channels outside of its segment.
     *
     * @param dead whose owner has ended, and which is about to be removed
     */
    default void sweep(DeadSegment dead) {}
}
