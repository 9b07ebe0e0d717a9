package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;

/** The command channel through lanes in the segment. */
final class RingCommandChannel extends LaneChannel {

    RingCommandChannel(PeerAttachment attachment, PeerEvents events) {
        super(attachment, events);
    }

    @Override
    protected boolean isWellFormed(Message message) {
        return ServerEvents.isWellFormed(message);
    }

    @Override
    protected long correlationOf(Message message) {
        return ServerEvents.isReply(message) ? ServerEvents.correlation(message) : 0;
    }
}
