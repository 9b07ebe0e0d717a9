package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.GrantMover;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;

/**
 * A grant that answers a post is claimed while messages are dispatched, by any thread. Whatever
 * comes before the thread of the post sees it, DONE must follow: until then the engine lets no
 * other server in.
 */
@Timeout(30)
class ClaimedGrantTest {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int TIMED_OUT = ErrorCode.ETIMEDOUT.negativeValue();
    private static final int BYTES = 300;
    private static final long GRANT_ID = 5;
    private static final long NS_PER_MS = 1_000_000;

    private final Host host = new Host();
    private final Link link = new Link();
    private long nowNs = 1;
    private final ClientHalf client = new ClientHalf(host, link, 0, () -> nowNs);
    private final ClientOperations operations = client.operations;

    private static final class TestOperation extends Operation {
        TestOperation(OperationKind kind) {
            this.kind = kind;
            this.address = ZoidAddress.server();
            this.sizeBytes = BYTES;
            this.buffer = MemorySegment.ofArray(new byte[BYTES]);
            this.bufferCount = 1;
        }

        void expireAt(long timeNs) {
            hasDeadline = true;
            deadlineNs = timeNs;
        }
    }

    private void expectDone(int outcome, OperationKind kind) {
        assertThat(operations.post(new TestOperation(kind), 0)).isEqualTo(outcome);
        assertThat(link.dones).as("ends of the grant").isEqualTo(1);
        assertThat(link.moved).isEqualTo(BYTES);
        assertThat(operations.isAnyPending()).isFalse();
        assertThat(host.completed).as("reported besides").isZero();
    }

    @Test
    void aGrantThatNobodyDisturbsIsDone() {
        expectDone(BYTES, OperationKind.SEND);
    }

    @Test
    void aSendThatTheEngineEndsBeforeItsThreadSeesTheGrantIsDoneAllTheSame() {
        link.isFailedMeanwhile = true;
        expectDone(HOST_DOWN, OperationKind.SEND);
    }

    @Test
    void aReceiveThatTheEngineEndsBeforeItsThreadSeesTheGrantIsDoneAllTheSame() {
        link.isFailedMeanwhile = true;
        expectDone(HOST_DOWN, OperationKind.RECEIVE);
    }

    /** Claims over a socket can come too late; the program's cancel may have come meanwhile. */
    @Test
    void aCancelledReceiveWhoseClaimCameTooLateIsReportedOnceAndWithdrawn() {
        link.isPending = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        offer();
        ClientOperation slot = (ClientOperation) receive.attachment();
        assertThat(operations.cancels().cancel(slot, receive, receive.id(), CANCELLED))
                .isEqualTo(CancelOutcome.REQUESTED);
        operations.runDeferred();
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(link.withdrawals).isEqualTo(1);
        assertThat(operations.isAnyPending()).isFalse();
    }

    /** Another message may be offered by then, which was posted too late. */
    @Test
    void aReceiveWhoseTimeIsOverLeavesWhatIsOfferedWhenItsClaimIsVoid() {
        link.isPending = true;
        link.movesForEver = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        receive.expireAt(10 * NS_PER_MS);
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        offer();
        operations.runDeferred();
        assertThat(link.claims).isEqualTo(1);
        nowNs += 10 * NS_PER_MS;
        offer();
        operations.runDeferred();
        assertThat(link.claims).as("with that of the second message").isEqualTo(1);
        ClientOperation slot = (ClientOperation) receive.attachment();
        assertThat(operations.cancels().cancel(slot, receive, receive.id(), TIMED_OUT))
                .isEqualTo(CancelOutcome.CANCELLED);
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(host.error).isEqualTo(TIMED_OUT);
        assertThat(link.withdrawals).isEqualTo(1);
    }

    /** What was cancelled while it moved takes nothing else. */
    @Test
    void aCancelledReceiveLeavesWhatIsOfferedWhenItsClaimIsVoid() {
        link.isPending = true;
        link.movesForEver = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        offer();
        operations.runDeferred();
        ClientOperation slot = (ClientOperation) receive.attachment();
        assertThat(operations.cancels().cancel(slot, receive, receive.id(), CANCELLED))
                .isEqualTo(CancelOutcome.REQUESTED);
        offer();
        operations.runDeferred();
        assertThat(link.claims).isEqualTo(1);
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(host.error).isEqualTo(CANCELLED);
        assertThat(link.withdrawals).isEqualTo(1);
    }

    /** A receive that nobody gave up takes the other message. */
    @Test
    void aReceiveTakesWhatIsOfferedWhenItsClaimIsVoid() {
        link.isPending = true;
        link.movesForEver = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        offer();
        operations.runDeferred();
        offer();
        operations.runDeferred();
        assertThat(link.claims).isEqualTo(2);
        operations.onEvent(ClientEvents.completed(new Message(), 0, link.reference, BYTES));
        operations.runDeferred();
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(host.error).isZero();
    }

    private void offer() {
        Message offer = ClientEvents.grant(new Message(), 0, link.reference, 9, GRANT_ID, BYTES);
        operations.onEvent(ClientEvents.grantPlace(offer, 0, 0, 0, 0, 0, 0));
    }

    /** It waited for the answer, and then as long again for the bytes. */
    @Test
    void aPostThatWaitsForItsAnswerAndForItsBytesHasOneTime() {
        link.movesForEver = true;
        link.answerMs = 70;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        long startNs = nowNs;
        assertThat(operations.post(receive, 100)).isEqualTo(Method.PENDING);
        assertThat((nowNs - startNs) / NS_PER_MS).isBetween(100L, 110L);
        operations.endAll(HOST_DOWN);
        operations.runDeferred();
        assertThat(operations.isAnyPending()).isFalse();
    }

    /** The other side's operation is pending until it is told that the bytes are there. */
    @Test
    void anEndThatTheLaneHasNoRoomForIsReportedWhenItIsSaid() {
        link.isFull = true;
        TestOperation send = new TestOperation(OperationKind.SEND);
        assertThat(operations.post(send, 0)).isEqualTo(Method.PENDING);
        assertThat(link.moved).isEqualTo(BYTES);
        ClientOperation slot = (ClientOperation) send.attachment();
        assertThat(operations.cancels().cancel(slot, send, send.id(), CANCELLED))
                .isEqualTo(CancelOutcome.REQUESTED);
        operations.runDeferred();
        assertThat(host.completed).as("reported").isZero();
        link.isFull = false;
        assertThat(operations.runDeferred()).isEqualTo(1);
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(host.error).isZero();
        assertThat(operations.isAnyPending()).isFalse();
    }

    /** The session ends between the end that finds no room and the note of that. */
    @Test
    void anEndThatFindsNoRoomInASessionThatJustEndedIsReportedOnce() {
        link.isFull = true;
        link.endsWhileTold = true;
        assertThat(operations.post(new TestOperation(OperationKind.SEND), 0))
                .isIn(Method.PENDING, (long) HOST_DOWN);
        operations.runDeferred();
        assertThat(operations.isAnyPending()).isFalse();
        assertThat(host.completed).isLessThanOrEqualTo(1);
    }

    /** A host that has not answered in time is not asked again before it has said something. */
    @Test
    void aHostThatHasNotAnsweredIsAskedAgainOnceItIsHeard() {
        link.isSilent = true;
        operations.ask();
        operations.ask();
        assertThat(link.questions).isEqualTo(1);
        operations.heard();
        operations.ask();
        assertThat(link.questions).isEqualTo(2);
    }

    @Test
    void anEndThatIsNeverSaidIsReportedWithTheEndOfTheSession() {
        link.isFull = true;
        assertThat(operations.post(new TestOperation(OperationKind.RECEIVE), 0))
                .isEqualTo(Method.PENDING);
        operations.endAll(HOST_DOWN);
        operations.runDeferred();
        assertThat(host.completed).as("reported").isEqualTo(1);
        assertThat(host.error).isEqualTo(HOST_DOWN);
        link.isFull = false;
        assertThat(operations.runDeferred()).isZero();
        assertThat(operations.isAnyPending()).isFalse();
    }

    private static final class Host extends QuietHost {
        private int completed;
        private int error;

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            completed++;
            this.error = error;
        }
    }

    /** Answers a post with a grant, and may have another thread hear of the server's end then. */
    private final class Link implements QuietLink {
        private boolean isFailedMeanwhile;

        /** Whether a post is pending, and what is claimed later came too late. */
        private boolean isPending;

        /** Whether there is no room for what it is told. */
        private boolean isFull;

        /** Whether the session ends while an end is told. */
        private boolean endsWhileTold;

        /** Whether no call is answered in time. */
        private boolean isSilent;

        /** Whether bytes that have begun to move never arrive. */
        private boolean movesForEver;

        /** After how long a post is answered. */
        private long answerMs;

        private int questions;
        private long reference;
        private int withdrawals;
        private int claims;
        private int dones;
        private long moved;

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            if (isSilent) {
                assertThat(request.kind()).isEqualTo(ClientRequests.TEST);
                questions++;
                return TIMED_OUT;
            }
            reference = ClientRequests.reference(request);
            nowNs += answerMs * NS_PER_MS;
            if (isPending) {
                ClientEvents.pending(reply, 1, reference, 9);
                return OK;
            }
            ClientEvents.grant(reply, 1, reference, 9, GRANT_ID, BYTES);
            ClientEvents.grantPlace(reply, 0, 0, 0, 0, 0, 0);
            if (isFailedMeanwhile) {
                operations.onEvent(ClientEvents.failed(new Message(), 0, reference, HOST_DOWN));
                operations.runDeferred();
            }
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            if (isPending) {
                assertThat(note.kind()).isEqualTo(ClientRequests.WITHDRAW);
                withdrawals++;
                return OK;
            }
            assertThat(note.kind()).isEqualTo(ClientRequests.DONE);
            assertThat(ClientRequests.grantId(note)).isEqualTo(GRANT_ID);
            dones++;
            return OK;
        }

        @Override
        public int tell(Message note) {
            int sent = note(note, 0);
            if (endsWhileTold) {
                operations.endAll(HOST_DOWN);
            }
            return isFull ? KEPT : sent;
        }

        @Override
        public boolean hasUnsaid() {
            return isFull;
        }

        @Override
        public GrantMover newMover() {
            SegmentMap map = new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 4096, 4096));
            return new GrantMover(new SegmentMemory(MemorySegment.NULL), map, 0) {
                @Override
                public boolean begin(Message grant) {
                    return true;
                }

                @Override
                public boolean write(MemorySegment source, long sourceOffset, long lengthBytes) {
                    moved += lengthBytes;
                    return true;
                }

                @Override
                public boolean read(MemorySegment target, long targetOffset, long lengthBytes) {
                    moved += lengthBytes;
                    return true;
                }
            };
        }

        @Override
        public boolean claim(Message grant) {
            assertThat(isPending).as("what answers a call is claimed already").isTrue();
            claims++;
            return true;
        }

        @Override
        public boolean movesLater() {
            return isPending || movesForEver;
        }

        @Override
        public int startMove(Operation operation, Message grant) {
            return movesForEver ? MOVING : VOIDED;
        }

        @Override
        public void awaitEvent(long timeoutNs) {
            nowNs += timeoutNs;
        }
    }
}
