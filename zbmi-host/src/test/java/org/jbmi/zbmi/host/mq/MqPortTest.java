package org.jbmi.zbmi.host.mq;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

@Timeout(60)
class MqPortTest {
    private static final int COMMAND = 1;
    private static final int EVENTS = 2;
    private static final int REPLIES = 4;
    private static final SegmentMap MAP =
            new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 4096, 4096));

    /** Remembers the queues into which messages went, and opens or unlinks none. */
    private static final class FullHeapSystem implements MqSystem {
        private final List<Integer> sentTo = new ArrayList<>();
        private final List<Integer> closed = new ArrayList<>();
        private boolean opens;

        @Override
        public int open(String name, MessageQueues.End end) {
            if (opens) {
                return REPLIES;
            }
            throw new OutOfMemoryError("as if");
        }

        @Override
        public int unlink(String name) {
            if (opens) {
                opens = false;
                throw new OutOfMemoryError("as if");
            }
            return 0;
        }

        @Override
        public void close(int descriptor) {
            closed.add(descriptor);
        }

        @Override
        public int send(int descriptor, QueueBuffer buffer, int words) {
            sentTo.add(descriptor);
            return 0;
        }

        @Override
        public long depth(int descriptor, QueueBuffer buffer) {
            return 10;
        }
    }

    private final FullHeapSystem system = new FullHeapSystem();
    private final MqPort port = port();

    private MqPort port() {
        EngineSegment segment =
                new EngineSegment(
                        new SegmentMemory(Arena.ofAuto().allocate(MAP.segmentBytes(), 4096)),
                        MAP,
                        new FutexWaiting());
        SessionLimits limits = new SessionLimits(1 << 20, 1024, 1024, 64, 64);
        Welcome welcome =
                new Welcome(0, 1, HostKind.DAEMON, 1, 0, "none", 1, MAP.geometry(), limits);
        return new MqPort(
                segment,
                welcome,
                10,
                system,
                new MqNames(1, 1),
                new MqEnd(system, COMMAND),
                new MqEnd(system, EVENTS));
    }

    private Message answer() {
        long call = new ReplyQueue(0, new MqEnd(system, 3)).nextCall();
        return ServerEvents.answered(new Message(), ServerEvents.REGISTERED, call, 5, 6);
    }

    /** An error there would end the engine for all its clients. */
    @Test
    void anAnswerWithoutMemoryForItsQueueGoesIntoTheEventQueue() {
        assertThat(port.send(answer())).isTrue();
        assertThat(port.send(answer())).isTrue();
        assertThat(system.sentTo).containsExactly(EVENTS, EVENTS);
    }

    @Test
    void aQueueWhoseNameCannotBeUnlinkedIsUsedAndClosed() {
        system.opens = true;
        assertThat(port.send(answer())).isTrue();
        assertThat(system.sentTo).containsExactly(REPLIES);
        port.close();
        assertThat(system.closed).contains(REPLIES);
    }
}
