package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;

import java.util.Optional;

/**
 * Makes the server's end of one kind of command channel. Found by {@link java.util.ServiceLoader},
 * chosen by {@link #name}. The module zbmi-host has the service for the engine's end: {@code
 * CommandPortProvider}.
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
     * Opens the server's end. It takes the server's messages to the engine, such as posts, cancels
     * and frees, and brings completions and unexpected messages. Payload lies in the segment. Any
     * number of threads may call at a time; each gets its own reply.
     *
     * @param attachment the result of the handshake; the channel owns it from now on, and closes it
     * @param events gets the engine's events
     * @return an open channel
     * @throws org.jbmi.BmiException with a sentence, if it cannot be opened
     */
    PeerChannel open(PeerAttachment attachment, PeerEvents events);
}
