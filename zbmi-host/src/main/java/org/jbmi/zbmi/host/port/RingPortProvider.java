package org.jbmi.zbmi.host.port;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.RingCommandChannelProvider;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/** Makes both ends of {@code ring} channels: lanes in the segment. */
public final class RingPortProvider implements CommandPortProvider {
    private final CommandChannelProvider channels = new RingCommandChannelProvider();

    /** For {@link java.util.ServiceLoader}. */
    public RingPortProvider() {}

    @Override
    public String name() {
        return channels.name();
    }

    @Override
    public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
        return channels.open(attachment, events);
    }

    @Override
    public EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        return new LanePort(segment, welcome, maxBacklog);
    }
}
