package org.jbmi.zbmi.link;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;

/**
 * Makes the client's end of one kind of client link. Found by {@link java.util.ServiceLoader},
 * chosen by {@link #name}.
 */
public interface ClientLinkProvider {
    /** The name in the knob and in the handshake, for example {@code "shm"}. */
    String name();

    /**
     * Connects, shakes hands and opens the client's end. One attempt: a caller who wants to wait
     * for a host that is not there yet tries again.
     *
     * @param request how to reach the host of the runtime directory
     * @param serverAddress where the daemon's gateway is; for links that go through one
     * @param events gets the engine's events
     * @return an open link
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no host is there, or another code if
     *     the handshake fails
     */
    default ClientLink connect(AttachRequest request, String serverAddress, PeerEvents events) {
        return openOrClose(PeerAttachment.connect(request), events);
    }

    /**
     * As {@link #open}; if that fails in any way, also by an Error, the session is closed.
     *
     * @param attachment the result of the handshake; owned from now on
     * @param events gets the engine's events
     * @return an open link
     */
    default ClientLink openOrClose(PeerAttachment attachment, PeerEvents events) {
        ClientLink link = null;
        try {
            link = open(attachment, events);
            return link;
        } finally {
            if (link == null) {
                attachment.close();
            }
        }
    }

    /**
     * Opens the client's end of a session in shared memory.
     *
     * @param attachment the result of the handshake; the link that is returned owns it, and closes
     *     it
     * @param events gets the engine's events
     * @return an open link
     * @throws BmiException if such links do not go through shared memory, which is the default
     */
    default ClientLink open(PeerAttachment attachment, PeerEvents events) {
        throw new BmiException(
                ErrorCode.EOPNOTSUPP,
                "A link of kind " + name() + " does not go through shared memory.");
    }
}
