package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/** The smallest segment, and the ends of what lies in it: thousands are made in a second. */
final class Small {
    static final int SLOTS = 16;
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(1, SLOTS, SLOTS, 2, 64, 4096, 4096);
    static final SegmentMap MAP = new SegmentMap(GEOMETRY);
    static final SessionArea AREA = MAP.session(1);
    static final int BYTES = (int) MAP.unexpectedOffset();
    static final Welcome WELCOME =
            new Welcome(
                    1,
                    1,
                    HostKind.DAEMON,
                    1,
                    1,
                    "small",
                    1,
                    GEOMETRY,
                    new SessionLimits(4096, 4096, 64, 1, 1));

    /** Nobody sleeps in earnest. */
    static final Waiting NOBODY =
            new Waiting() {
                @Override
                public boolean await(SharedMemory in, long at, int expected, long timeoutNs) {
                    return true;
                }

                @Override
                public void wakeAll(SharedMemory in, long at) {
                    // Nobody is there.
                }
            };

    private Small() {}

    static EngineSegment view(SharedMemory memory, Waiting waiting) {
        return new EngineSegment(memory, MAP, waiting);
    }

    static LaneProducer producerOfPeer(SharedMemory memory) {
        return new LaneProducer(
                memory, AREA.towardEngineOffset(), SLOTS, AREA.consumedByEngineOffset(), 1);
    }

    static LaneConsumer consumerOfEngine(SharedMemory memory) {
        return new LaneConsumer(
                memory,
                AREA.towardEngineOffset(),
                SLOTS,
                AREA.consumedByEngineOffset(),
                AREA.peerWantsCreditOffset(),
                1);
    }

    static LaneConsumer consumerOfPeer(SharedMemory memory) {
        return new LaneConsumer(
                memory,
                AREA.towardPeerOffset(),
                SLOTS,
                AREA.consumedByPeerOffset(),
                AREA.engineWantsCreditOffset(),
                1);
    }

    static LaneSender sender(SharedMemory memory, MessageSink sink) {
        return new LaneSender(
                memory,
                AREA,
                sink,
                new PeerSleep(memory, AREA.peerSleepWordOffset(), NOBODY),
                ringer(memory, NOBODY),
                new SpinLock(),
                1);
    }

    static DoorbellRinger ringer(SharedMemory memory, Waiting waiting) {
        return new DoorbellRinger(memory, MAP, AREA, waiting, () -> {});
    }
}
