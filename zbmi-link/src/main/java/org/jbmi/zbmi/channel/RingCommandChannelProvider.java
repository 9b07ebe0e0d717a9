package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;

/** Makes {@code ring} channels: two lanes in the segment and a word to sleep on. The default. */
public class RingCommandChannelProvider implements CommandChannelProvider {
    /** The name. */
    public static final String NAME = "ring";

    /** For {@link java.util.ServiceLoader}. */
    public RingCommandChannelProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
        return new LaneChannel(attachment, events);
    }
}
