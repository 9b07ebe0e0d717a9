package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.io.IOException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.function.Function;

/** A gateway's relay for the tests of the link, which are in the package of its other end. */
public final class RelayOfStreams implements AutoCloseable {
    private final GatewayRelay relay;

    /** Between two streams and a client of the engine. */
    public RelayOfStreams(
            ScatteringByteChannel in,
            GatheringByteChannel out,
            Function<PeerEvents, ClientLink> lane,
            SharedMemory memory,
            SegmentMap map) {
        this.relay = new GatewayRelay(in, out, lane::apply, memory, map);
    }

    /** Does a part of its work; returns whether there was any. */
    public boolean pump(long nowNs) throws IOException {
        return relay.pump(nowNs);
    }

    /** Announces its sleep; false if there is work. */
    public boolean prepareSleep() {
        return relay.prepareSleep();
    }

    @Override
    public void close() {
        relay.close();
    }
}
