package org.jbmi.zbmi.host.port;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** What the engine keeps for a client that does not read. */
@Timeout(30)
class LanePortTest {
    private static final int SESSION = 1;
    private static final int GENERATION = 2;
    private static final int BACKLOG = 40;
    private static final int RECEIVES = 8;
    private static final long CALL = 99;

    private final Arena arena = Arena.ofShared();
    private final SegmentMap map =
            new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 4096, 4096));
    private final SharedMemory memory = new SegmentMemory(arena.allocate(map.segmentBytes(), 4096));
    private final Lane lane = new Lane();
    private final LanePort port = port(BACKLOG);
    private final Message message = new Message();
    private boolean hasRequests;

    @AfterEach
    void close() {
        arena.close();
    }

    /** A lane that has no room until its client reads. */
    private static final class Lane implements MessageSink {
        private final List<String> read = new ArrayList<>();
        private boolean isRead;

        @Override
        public int offer(Message message) {
            if (isRead) {
                long third = message.wordCount() > 2 ? message.word(2) : 0;
                long second = ClientEvents.reference(message);
                read.add("%x %d %d".formatted(message.kind(), second, third));
            }
            return isRead ? SENT : FULL;
        }

        @Override
        public int room() {
            return isRead ? SENT : FULL;
        }
    }

    private final class Requests implements MessageSource {
        @Override
        public int poll(Message into) {
            return hasRequests ? RECEIVED : EMPTY;
        }

        @Override
        public boolean hasMessage() {
            return hasRequests;
        }

        @Override
        public boolean takeCreditDue() {
            return false;
        }
    }

    private LanePort port(int maxBacklog) {
        return new LanePort(
                new EngineSegment(memory, map, new FutexWaiting()),
                new Welcome(
                        SESSION,
                        GENERATION,
                        HostKind.DAEMON,
                        1,
                        0,
                        "none",
                        1,
                        map.geometry(),
                        new SessionLimits(1 << 20, 8192, 1024, 64, RECEIVES)),
                maxBacklog,
                new Requests(),
                lane);
    }

    private boolean grant(long call, long reference, long number) {
        ClientEvents.grant(message, call, reference, number, number, 8);
        return port.send(ClientEvents.grantPlace(message, 0, 0, 0, 0, 0, number));
    }

    private List<String> read() {
        lane.isRead = true;
        port.flush();
        return lane.read;
    }

    /** As when the server cancels one send after the other, while the client stands still. */
    @Test
    void offersThatWereTakenBackUnreadDoNotEndASession() {
        assertThat(grant(CALL, 1, 7)).isTrue();
        for (int i = 0; i < 100 * BACKLOG; i++) {
            assertThat(grant(0, i % RECEIVES, 1000 + i)).as("offer %d", i).isTrue();
        }
        List<String> expected = new ArrayList<>();
        for (int i = 100 * BACKLOG - RECEIVES; i < 100 * BACKLOG; i++) {
            expected.add("102 %d %d".formatted(i % RECEIVES, 1000 + i));
        }
        assertThat(read())
                .as("the answer to a call")
                .startsWith("102 1 7")
                .endsWith(expected.toArray(String[]::new));
    }

    @Test
    void whatEndsAnOperationAndWhatComesAfterItStays() {
        assertThat(grant(0, 1, 10)).isTrue();
        assertThat(port.send(ClientEvents.failed(message, 0, 1, -5))).isTrue();
        assertThat(port.send(ClientEvents.testReply(message, CALL, 1))).isTrue();
        assertThat(port.send(ClientEvents.data(message, 2, 0))).isTrue();
        for (int i = 0; i < BACKLOG; i++) {
            assertThat(grant(0, 3, i)).as("offer %d", i).isTrue();
        }
        assertThat(read())
                .startsWith("104 1 -5", "105 1 0", "106 2 0")
                .endsWith("102 3 " + (BACKLOG - 1));
    }

    @Test
    void whatIsNoOfferEndsASessionThatDoesNotReadIt() {
        for (int i = 0; i < BACKLOG; i++) {
            assertThat(port.send(ClientEvents.completed(message, 0, i % RECEIVES, 8))).isTrue();
        }
        hasRequests = true;
        assertThat(port.poll(message)).isEqualTo(LanePort.RECEIVED);
        assertThat(port.send(ClientEvents.completed(message, 0, 1, 8))).isFalse();
        assertThat(port.poll(message)).as("it is heard no more").isEqualTo(LanePort.EMPTY);
        for (int i = 0; i < 100; i++) {
            assertThat(port.send(ClientEvents.completed(message, 0, 1, 8))).as("again").isTrue();
        }
        assertThat(read()).as("what came later is dropped").hasSize(BACKLOG);
        assertThat(port.send(ClientEvents.completed(message, 0, 1, 8))).isTrue();
        assertThat(read()).hasSize(BACKLOG);
    }

    @Test
    void nothingOvertakesALostMessageOfABacklogThatIsSent() {
        for (int i = 0; i < BACKLOG; i++) {
            assertThat(port.send(ClientEvents.completed(message, 0, i % RECEIVES, 8))).isTrue();
        }
        assertThat(port.send(ClientEvents.completed(message, 0, 1, 8))).isFalse();
        assertThat(read()).hasSize(BACKLOG);
        assertThat(port.mayPublish()).isFalse();
        assertThat(port.publish(ClientEvents.data(message, 2, 0))).isFalse();
        assertThat(lane.read).hasSize(BACKLOG);
    }

    /** As in a heap that is full when the first message has to wait. */
    @Test
    void nothingOvertakesALostMessageOfAnEmptyBacklog() {
        LanePort keepsNothing = port(0);
        assertThat(keepsNothing.send(ClientEvents.completed(message, 0, 1, 8))).isFalse();
        lane.isRead = true;
        assertThat(keepsNothing.mayPublish()).isFalse();
        assertThat(keepsNothing.publish(ClientEvents.data(message, 2, 0))).isFalse();
        assertThat(lane.read).isEmpty();
    }

    /** Each offer takes back the one before, and would cost a walk through all messages. */
    @Test
    void aSessionThatLeavesHardlyAnyRoomEnds() {
        for (int i = 0; i < BACKLOG - 2; i++) {
            assertThat(port.send(ClientEvents.completed(message, 0, i % RECEIVES, 8))).isTrue();
        }
        assertThat(grant(0, 1, 7)).isTrue();
        assertThat(grant(0, 1, 8)).isTrue();
        assertThat(grant(0, 1, 9)).isFalse();
    }

    private int accepted() {
        return memory.getIntPlain(map.session(SESSION).acceptedOffset());
    }

    /** Else it would end sends that the answer says are pending. */
    @Test
    void aCountIsNotToldBeforeAnAnswerThatWaitsForRoom() {
        port.send(ClientEvents.accepted(message, 1));
        port.settle();
        assertThat(accepted()).isEqualTo(1);
        port.send(ClientEvents.pending(message, 0, 2, 7));
        port.send(ClientEvents.accepted(message, 3));
        port.settle();
        port.signal();
        assertThat(accepted()).isEqualTo(1);
        lane.isRead = true;
        port.flush();
        assertThat(accepted()).isEqualTo(2);
        assertThat(lane.read).containsExactly("%x 2 7".formatted(ClientEvents.PENDING));
    }

    /** So who hears the answer to a call knows what was accepted before. */
    @Test
    void aCountIsToldBeforeTheNextMessage() {
        lane.isRead = true;
        port.send(ClientEvents.accepted(message, 1));
        assertThat(accepted()).isZero();
        port.send(ClientEvents.testReply(message, CALL, 0));
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void aCountAloneIsNewsThatMayComeLate() {
        port.send(ClientEvents.accepted(message, 1));
        assertThat(port.hasLateEventsOnly()).isTrue();
        assertThat(port.signal()).isEqualTo(LanePort.SIGNALLED);
        assertThat(accepted()).isEqualTo(1);
        assertThat(port.hasLateEventsOnly()).isFalse();
    }
}
