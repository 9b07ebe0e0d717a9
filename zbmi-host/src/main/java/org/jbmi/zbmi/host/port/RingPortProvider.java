package org.jbmi.zbmi.host.port;

import org.jbmi.zbmi.channel.RingCommandChannelProvider;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/** Makes both ends of {@code ring} channels: lanes in the segment. */
public final class RingPortProvider extends RingCommandChannelProvider
        implements CommandPortProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RingPortProvider() {}

    @Override
    public LanePort host(EngineSegment segment, Welcome welcome, int maxBacklog) {
        return new LanePort(segment, welcome, maxBacklog);
    }
}
