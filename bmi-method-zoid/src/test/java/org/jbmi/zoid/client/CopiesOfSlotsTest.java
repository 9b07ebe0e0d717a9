package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Bytes that come in a data slot are copied without the lock, and each receive ends once. */
@Timeout(30)
class CopiesOfSlotsTest {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final int BYTES = 100;
    private static final int SLOT = 3;

    private final Host host = new Host();
    private final Link link = new Link();
    private final ClientHalf client = new ClientHalf(host, link, 128, () -> 1);
    private final ClientOperations operations = client.operations;

    private static final class TestOperation extends Operation {
        TestOperation() {
            this.kind = OperationKind.RECEIVE;
            this.address = ZoidAddress.server();
            this.sizeBytes = 2 * BYTES;
            this.buffer = MemorySegment.ofArray(new byte[2 * BYTES]);
            this.bufferCount = 1;
        }

        void resize(int bytes) {
            sizeBytes = bytes;
            buffer = MemorySegment.ofArray(new byte[bytes]);
        }
    }

    private final TestOperation receive = new TestOperation();

    private ClientOperation posted() {
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        return (ClientOperation) receive.attachment();
    }

    private static Message data(long reference, int bytes) {
        return ClientEvents.dataSlot(new Message(), reference, bytes, SLOT);
    }

    private void expectEnd(int... outcomes) {
        operations.runDeferred();
        assertThat(host.outcomes).containsExactly(box(outcomes));
        assertThat(operations.isAnyPending()).isFalse();
        assertThat(client.lock.tryLock()).as("the lock is free").isTrue();
        client.lock.unlock();
    }

    private static Integer[] box(int... values) {
        return Arrays.stream(values).boxed().toArray(Integer[]::new);
    }

    @Test
    void theBytesAreCopiedWithoutTheLockAndTheSlotGoesBack() {
        ClientOperation slot = posted();
        link.meanwhile =
                () -> {
                    assertThat(client.lock.tryLock()).as("the lock is free").isTrue();
                    client.lock.unlock();
                };
        operations.onEvent(data(slot.reference(), BYTES));
        expectEnd(0);
        assertThat(host.bytes).isEqualTo(BYTES);
        assertThat(receive.buffer(0).get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) SLOT);
        assertThat(receive.buffer(0).get(ValueLayout.JAVA_BYTE, BYTES)).isZero();
        assertThat(link.released).isEqualTo(1);
        assertThat(client.registry.find("zoid.client.copies").get()).isEqualTo(1);
    }

    @Test
    void aCancelMeanwhileComesTooLate() {
        ClientOperation slot = posted();
        link.meanwhile =
                () ->
                        assertThat(
                                        operations
                                                .cancels()
                                                .cancel(slot, receive, receive.id(), CANCELLED))
                                .isEqualTo(CancelOutcome.REQUESTED);
        operations.onEvent(data(slot.reference(), BYTES));
        expectEnd(0);
    }

    @Test
    void anEndOfTheSessionMeanwhileLeavesTheReceiveToTheCopy() {
        ClientOperation slot = posted();
        link.meanwhile = () -> operations.endAll(HOST_DOWN);
        operations.onEvent(data(slot.reference(), BYTES));
        expectEnd(0);
    }

    @Test
    void aSlotGoesBackAlsoIfNoReceiveWaits() {
        operations.onEvent(data(1L << 32, BYTES));
        assertThat(link.released).isEqualTo(1);
        expectEnd();
    }

    /** An answer of the engine may end it at any time, so nothing may be copied to it. */
    @Test
    void aReceiveThatIsACallGetsNothing() {
        link.mayHaveSend = true;
        ClientOperation slot = posted();
        link.meanwhile =
                () -> {
                    throw new AssertionError("something is copied");
                };
        operations.onEvent(data(slot.reference(), BYTES));
        expectEnd(EPROTO);
        assertThat(link.released).isEqualTo(1);
    }

    @Test
    void aMessageThatIsLongerThanItsReceiveOrItsSlotIsWrong() {
        operations.onEvent(data(posted().reference(), 2 * BYTES + 1));
        receive.resize(4096);
        operations.onEvent(data(posted().reference(), 129));
        expectEnd(EPROTO, EPROTO);
        assertThat(link.released).isEqualTo(2);
        assertThat(client.registry.find("zoid.client.copies").get()).isZero();
    }

    @Test
    void whatGoesWrongBehindTheCopyEndsTheReceiveWithTheSession() {
        ClientOperation slot = posted();
        link.fails = true;
        assertThatThrownBy(() -> operations.onEvent(data(slot.reference(), BYTES)))
                .isInstanceOf(StackOverflowError.class);
        operations.endAll(HOST_DOWN);
        expectEnd(HOST_DOWN);
    }

    @Test
    void soItDoesIfTheSessionHasEndedBefore() {
        ClientOperation slot = posted();
        link.meanwhile = () -> operations.endAll(HOST_DOWN);
        link.fails = true;
        assertThatThrownBy(() -> operations.onEvent(data(slot.reference(), BYTES)))
                .isInstanceOf(StackOverflowError.class);
        expectEnd(HOST_DOWN);
    }

    private static final class Host extends QuietHost {
        private final List<Integer> outcomes = new ArrayList<>();
        private long bytes;

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            outcomes.add(error);
            bytes = sizeBytes;
        }
    }

    private static final class Link implements QuietLink {
        private boolean mayHaveSend;
        private boolean fails;
        private int released;
        private Runnable meanwhile = () -> {};

        @Override
        public boolean mayHaveSend(int tag) {
            return mayHaveSend;
        }

        @Override
        public int dataRoom() {
            return 128;
        }

        @Override
        public int tryNote(Message note) {
            return OK;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            ClientEvents.pending(reply, 1, ClientRequests.reference(request), 9);
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            return OK;
        }

        @Override
        public void readDataSlot(int slot, int position, MemorySegment target, int lengthBytes) {
            meanwhile.run();
            target.asSlice(0, lengthBytes).fill((byte) slot);
        }

        @Override
        public void releaseDataSlot() {
            if (fails) {
                throw new StackOverflowError("behind the copy");
            }
            released++;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }
    }
}
