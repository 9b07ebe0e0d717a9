package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.LanePort;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Welcome;

/** Makes {@code ring} channels: two lanes in the segment and a word to sleep on. The default. */
public final class RingCommandChannelProvider implements CommandChannelProvider {
    /** The name. */
    public static final String NAME = "ring";

    /** For {@link java.util.ServiceLoader}. */
    public RingCommandChannelProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CommandChannel open(PeerAttachment attachment, PeerEvents events) {
        return new RingCommandChannel(attachment, events);
    }

    @Override
    public EnginePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        return new LanePort(segment, welcome, maxBacklog);
    }
}
