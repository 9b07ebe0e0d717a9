package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.PeerEvents;

/** The command channel through lanes in the segment. */
final class RingCommandChannel extends LaneChannel {
    RingCommandChannel(PeerAttachment attachment, PeerEvents events) {
        super(attachment, events);
    }
}
