package org.jbmi.zbmi.link;

import org.jbmi.zbmi.attach.PeerAttachment;

/**
 * Makes {@code shm} links: client and engine on one machine, of one user, with the segment mapped.
 */
public final class ShmClientLinkProvider implements ClientLinkProvider {
    /** The name. */
    public static final String NAME = "shm";

    /** For {@link java.util.ServiceLoader}. */
    public ShmClientLinkProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ClientLink open(PeerAttachment attachment, PeerEvents events) {
        return new ShmClientLink(attachment, events);
    }
}
