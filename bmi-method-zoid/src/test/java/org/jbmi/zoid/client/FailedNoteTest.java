package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A post fails between its steps, while its note is put into the lane or the engine is woken. The
 * engine may know of it, so the session ends, and the operation with it, once.
 */
@Timeout(30)
class FailedNoteTest {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private enum Failure {
        WHILE_SENT,
        WRONG_STATE,
        WHILE_WOKEN,
        /** While it is sent, and again while the session ends. */
        TWICE
    }

    private final Host host = new Host();
    private final Link link = new Link();
    private final ClientHalf client = new ClientHalf(host, link, 0, () -> 1);
    private final ClientOperations operations = client.operations;

    private static final class TestOperation extends Operation {
        TestOperation(OperationKind kind) {
            this.kind = kind;
            this.address = ZoidAddress.server();
            this.sizeBytes = Long.BYTES;
            this.buffer = MemorySegment.ofArray(new byte[Long.BYTES]);
            this.bufferCount = 1;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReceiveEndsWithItsSession(Failure failure) {
        endsWithItsSession(failure, OperationKind.RECEIVE);
    }

    @ParameterizedTest
    @EnumSource
    void anUnexpectedMessageEndsWithItsSession(Failure failure) {
        endsWithItsSession(failure, OperationKind.SEND_UNEXPECTED);
    }

    private void endsWithItsSession(Failure failure, OperationKind kind) {
        TestOperation before = new TestOperation(kind);
        TestOperation failing = new TestOperation(kind);
        assertThat(operations.post(before, 0)).isEqualTo(Method.PENDING);
        link.failure = failure;
        assertThat(operations.post(failing, 0)).isEqualTo(Method.PENDING);
        assertThat(link.ends).isEqualTo(1);
        operations.runDeferred();
        assertThat(host.over).containsExactlyInAnyOrder(before, failing);
        assertThat(operations.isAnyPending()).isFalse();
    }

    /** The answer may be on its way, but nobody waits for it. */
    @Test
    void aReceiveWhosePostWaitsForAnAnswerInAnImpossibleStateEndsInItsPost() {
        link.hasSend = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        assertThat(operations.post(receive, 0)).isEqualTo(HOST_DOWN);
        assertThat(link.ends).isEqualTo(1);
        operations.runDeferred();
        assertThat(host.over).isEmpty();
        assertThat(operations.isAnyPending()).isFalse();
    }

    /** Otherwise the segment might be unmapped at this moment. */
    @Test
    void theSegmentIsReadInsideTheSessionOnly() {
        operations.post(new TestOperation(OperationKind.RECEIVE), 0);
        operations.kept().send(MemorySegment.ofArray(new byte[Long.BYTES]), 1, 0);
        assertThat(link.looks).isPositive();
        client.guard.shut();
        link.looks = 0;
        TestOperation late = new TestOperation(OperationKind.RECEIVE);
        assertThat(operations.post(late, 0)).isEqualTo(ClientOperations.NOT_POSTED);
        MemorySegment buffer = MemorySegment.ofArray(new byte[Long.BYTES]);
        assertThat(operations.kept().send(buffer, 1, 0)).isEqualTo(Method.PENDING);
        assertThat(link.looks).isZero();
    }

    @Test
    void whatFailsBeforeItHasASlotIsThrown() {
        link.failsInLook = true;
        TestOperation receive = new TestOperation(OperationKind.RECEIVE);
        assertThatThrownBy(() -> operations.post(receive, 0))
                .isInstanceOf(StackOverflowError.class);
        assertThat(link.ends).isZero();
        assertThat(operations.isAnyPending()).isFalse();
    }

    @AfterEach
    void nobodyIsInside() {
        assertThat(client.lock.isLocked()).isFalse();
        client.guard.shut();
        assertThat(client.guard.isEmpty()).isTrue();
    }

    private static final class Host extends QuietHost {
        private final List<Operation> over = new ArrayList<>();

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            assertThat(error).isEqualTo(HOST_DOWN);
            over.add(operation);
        }
    }

    /** Fails once, where it is told. */
    private final class Link implements QuietLink {
        private Failure failure;
        private boolean failsInLook;
        private boolean hasSend;
        private int ends;
        private int looks;

        @Override
        public boolean mayHaveSend(int tag) {
            looks++;
            assertThat(client.lock.isLocked()).isTrue();
            if (failsInLook) {
                throw new StackOverflowError("in a test");
            }
            return hasSend;
        }

        @Override
        public int keeps() {
            looks++;
            assertThat(client.lock.isLocked()).isTrue();
            return 0;
        }

        @Override
        public int tryNote(Message note) {
            if (failure == Failure.WHILE_SENT || failure == Failure.TWICE) {
                throw new OutOfMemoryError("in a test");
            }
            if (failure == Failure.WRONG_STATE) {
                throw new IllegalStateException("in a test");
            }
            return failure == Failure.WHILE_WOKEN ? WAKE : OK;
        }

        @Override
        public void wakeEngine() {
            throw new OutOfMemoryError("in a test");
        }

        @Override
        public void end(String reason) {
            assertThat(client.lock.isLocked()).isFalse();
            ends++;
            operations.endAll(HOST_DOWN);
            if (failure == Failure.TWICE) {
                throw new StackOverflowError("in a test");
            }
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new IllegalStateException("in a test");
        }

        @Override
        public int note(Message note, long timeoutNs) {
            throw new AssertionError("everything here finds room");
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }
    }
}
