package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.common.QuietChannel;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** An unexpected message of few bytes takes one message to the engine and nothing else. */
@Timeout(30)
class ShortUnexpectedTest {
    private static final int TAG = 0x5b00_0000;
    private static final int CLASS = 200;
    private static final int EAGER_SLOT = 3;

    private final Link link = new Link();
    private final Host host = new Host();
    private final ClientHalf client = new ClientHalf(host, link, 1000, () -> 1);
    private final ClientOperations operations = client.operations;

    private static final class Host extends QuietHost {
        private final List<Operation> over = new ArrayList<>();

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            assertThat(error).isZero();
            assertThat(sizeBytes).isEqualTo(operation.sizeBytes());
            over.add(operation);
        }
    }

    private static final class TestOperation extends Operation {
        TestOperation(int bytes) {
            this.kind = OperationKind.SEND_UNEXPECTED;
            this.address = ZoidAddress.server();
            this.tag = TAG;
            this.messageClass = CLASS;
            this.sizeBytes = bytes;
            this.buffer = MemorySegment.ofArray(new byte[bytes]);
            for (int i = 0; i < bytes; i++) {
                buffer.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
            }
            this.bufferCount = 1;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 65, 87, 88})
    void itsBytesLieInTheMessage(int bytes) {
        TestOperation send = new TestOperation(bytes);
        assertThat(operations.post(send, 0)).isEqualTo(Method.PENDING);
        Message note = link.note;
        assertThat(note.kind()).isEqualTo(ClientRequests.SEND_SHORT);
        assertThat(ClientRequests.isWellFormed(note)).isTrue();
        assertThat(ClientRequests.shortBytes(note)).isEqualTo(bytes);
        assertThat(ClientRequests.tag(note)).isEqualTo(TAG);
        assertThat(ClientRequests.shortClass(note)).isEqualTo(CLASS);
        for (int i = 0; i < bytes; i++) {
            long word = note.word(ClientRequests.inlineWord(note) + i / Long.BYTES);
            assertThat((byte) (word >>> i % Long.BYTES * Byte.SIZE)).isEqualTo((byte) (i + 1));
        }
        assertThat(link.eagerSlots).isZero();
        long reference = ClientRequests.reference(note);
        operations.onEvent(ClientEvents.completed(new Message(), 0, reference, bytes));
        operations.runDeferred();
        assertThat(operations.isAnyPending()).isFalse();
    }

    @Test
    void oneThatTheEngineKeepsIsOverAndTakesNoSlot() {
        link.hasRoom = true;
        link.keeps = SessionArea.KEEPS_ALL;
        for (int bytes : new int[] {0, 7, 64, 88}) {
            MemorySegment buffer = new TestOperation(bytes).buffer(0);
            assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(bytes);
            Message note = link.note;
            assertThat(ClientRequests.isKept(note)).isTrue();
            assertThat(ClientRequests.isCounted(note)).isFalse();
            assertThat(ClientRequests.isWellFormed(note)).isTrue();
            assertThat(ClientRequests.shortBytes(note)).isEqualTo(bytes);
            assertThat(ClientRequests.tag(note)).isEqualTo(TAG);
            assertThat(ClientRequests.shortClass(note)).isEqualTo(CLASS);
            assertThat(note.wordCount())
                    .isEqualTo(ClientRequests.inlineWord(note) + (bytes + 7) / Long.BYTES);
        }
        assertThat(operations.isAnyPending()).isFalse();
        assertThat(operations.onAccepted(1)).as("none is counted").isFalse();
    }

    @Test
    void withoutRoomOrWhenSomeAreKeptOrIfItIsLongNothingIsDone() {
        MemorySegment buffer = new TestOperation(8).buffer(0);
        link.keeps = SessionArea.KEEPS_ALL;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        link.hasRoom = true;
        MemorySegment longer = new TestOperation(89).buffer(0);
        assertThat(operations.kept().send(longer, TAG, CLASS)).isEqualTo(Method.PENDING);
        link.keeps = SessionArea.KEEPS_SOME;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        link.keeps = 0;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        operations.endAll(-1);
        link.keeps = SessionArea.KEEPS_ALL;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(client.lock.isLocked()).isFalse();
    }

    /** The host may have been replaced since its length was checked. Sent, it would be a fault. */
    @Test
    void oneThatIsLongerThanTheHostAcceptsIsNotSent() {
        link.hasRoom = true;
        link.mayLend = true;
        link.keeps = SessionArea.KEEPS_ALL;
        ClientOperations ofSmall = new ClientHalf(host, link, 1000, 16, () -> 1).operations;
        for (int bytes : new int[] {17, 88, 89}) {
            MemorySegment buffer = new TestOperation(bytes).buffer(0);
            assertThat(ofSmall.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        }
        MemorySegment fits = new TestOperation(16).buffer(0);
        assertThat(ofSmall.kept().send(fits, TAG, CLASS)).isEqualTo(16);
    }

    /** It needs no operation then, whose end the engine would have to tell. */
    @Test
    void oneThatFindsRoomWhileItLooksIsOver() {
        MemorySegment buffer = new TestOperation(8).buffer(0);
        link.keeps = SessionArea.KEEPS_ALL;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(link.looks).isEqualTo(1);
        link.hasRoomSoon = true;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(8);
        assertThat(link.looks).isEqualTo(2);
        assertThat(ClientRequests.isKept(link.note)).isTrue();
        assertThat(operations.isAnyPending()).isFalse();
    }

    @Test
    void whoLooksDoesWhatMessagesOfTheEngineLeftToDo() {
        link.keeps = SessionArea.KEEPS_ALL;
        TestOperation send = new TestOperation(8);
        assertThat(operations.post(send, 0)).isEqualTo(Method.PENDING);
        long reference = ClientRequests.reference(link.note);
        link.dispatch =
                () -> operations.onEvent(ClientEvents.completed(new Message(), 0, reference, 8));
        assertThat(operations.kept().send(send.buffer(0), TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(host.over).containsExactly(send);
        assertThat(operations.hasWork()).isFalse();
    }

    @Test
    void aLongerOneThatTheEngineKeepsIsLentAndOver() {
        link.hasRoom = true;
        link.mayLend = true;
        link.keeps = SessionArea.KEEPS_ALL;
        for (int bytes : new int[] {89, 1000}) {
            MemorySegment buffer = new TestOperation(bytes).buffer(0);
            assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(bytes);
            assertThat(link.note.kind()).isEqualTo(ClientRequests.SEND_LENT);
            assertThat(ClientRequests.isWellFormed(link.note)).isTrue();
            assertThat(ClientRequests.lentSlot(link.note)).isEqualTo(EAGER_SLOT);
            assertThat(ClientRequests.lentBytes(link.note)).isEqualTo(bytes);
            assertThat(ClientRequests.lentTag(link.note)).isEqualTo(TAG);
            assertThat(ClientRequests.lentClass(link.note)).isEqualTo(CLASS);
        }
        assertThat(link.lent).isEqualTo(2);
        assertThat(link.eagerSlots).as("none is released here").isEqualTo(2);
        assertThat(operations.isAnyPending()).isFalse();
        assertThat(client.lock.isLocked()).isFalse();
    }

    @Test
    void aLongerOneThatCannotBeLentReleasesItsSlot() {
        MemorySegment buffer = new TestOperation(89).buffer(0);
        link.keeps = SessionArea.KEEPS_ALL;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        link.mayLend = true;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(link.looks).isEqualTo(1);
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(89);
        }
        link.hasRoom = true;
        assertThat(operations.kept().send(closed, TAG, CLASS)).isEqualTo(Method.PENDING);
        MemorySegment tooLong = new TestOperation(1001).buffer(0);
        assertThat(operations.kept().send(tooLong, TAG, CLASS)).isEqualTo(Method.PENDING);
        link.keeps = SessionArea.KEEPS_SOME;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(link.lent).isZero();
        assertThat(link.eagerSlots).isZero();
        assertThat(client.lock.isLocked()).isFalse();
        link.keeps = SessionArea.KEEPS_ALL;
        link.hasRoom = false;
        link.hasRoomSoon = true;
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(89);
        assertThat(link.lent).isEqualTo(1);
    }

    /** What is in the lane is sent, whatever becomes of the wake-up; the session ends. */
    @Test
    void aLongerOneWhoseWakeUpFailsIsStillLent() {
        link.hasRoom = true;
        link.mustWake = true;
        link.mayLend = true;
        link.keeps = SessionArea.KEEPS_ALL;
        MemorySegment buffer = new TestOperation(89).buffer(0);
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(89);
        link.onWake =
                () -> {
                    throw new OutOfMemoryError("in a test");
                };
        assertThat(link.ends).isZero();
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(89);
        assertThat(link.ends).isEqualTo(1);
        assertThat(link.lent).isEqualTo(2);
        assertThat(link.eagerSlots).as("none is released").isEqualTo(2);
    }

    /** It may be in the lane, so the program must not send it again, and its slot stays lent. */
    @ParameterizedTest
    @ValueSource(ints = {8, 89})
    void whatFailsWhileItIsSentCountsAsSentAndTheSessionEnds(int bytes) {
        link.hasRoom = true;
        link.mayLend = true;
        link.keeps = SessionArea.KEEPS_ALL;
        link.onSent =
                () -> {
                    throw new OutOfMemoryError("in a test");
                };
        MemorySegment buffer = new TestOperation(bytes).buffer(0);
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(bytes);
        assertThat(link.ends).isEqualTo(1);
        assertThat(link.eagerSlots).as("none is released").isEqualTo(bytes > 88 ? 1 : 0);
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(link.ends).isEqualTo(1);
    }

    @Test
    void aLongerOneThatFindsNoSlotForWantOfHeapLeavesTheSession() {
        link.keeps = SessionArea.KEEPS_ALL;
        link.mayLend = true;
        link.onTake =
                () -> {
                    throw new OutOfMemoryError("in a test");
                };
        MemorySegment buffer = new TestOperation(89).buffer(0);
        assertThatThrownBy(() -> operations.kept().send(buffer, TAG, CLASS))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(client.lock.isLocked()).isFalse();
    }

    /** The engine says that it keeps some while the bytes are copied. */
    @Test
    void whatTheEngineSaysMeanwhileCounts() {
        link.hasRoom = true;
        link.mayLend = true;
        link.keeps = SessionArea.KEEPS_ALL;
        link.meanwhile = () -> link.keeps = SessionArea.KEEPS_SOME;
        MemorySegment buffer = new TestOperation(89).buffer(0);
        assertThat(operations.kept().send(buffer, TAG, CLASS)).isEqualTo(Method.PENDING);
        assertThat(link.lent).isZero();
        assertThat(link.eagerSlots).isZero();
    }

    @Test
    void aLongerOneTakesAnEagerSlot() {
        assertThat(operations.post(new TestOperation(89), 0)).isEqualTo(Method.PENDING);
        assertThat(link.note.kind()).isEqualTo(ClientRequests.SEND_UNEXPECTED);
        assertThat(ClientRequests.eagerSlot(link.note)).isEqualTo(EAGER_SLOT);
        assertThat(link.eagerSlots).isEqualTo(1);
    }

    @AfterEach
    void nobodyIsInside() {
        assertThat(client.lock.isLocked()).isFalse();
        assertThat(client.guard.isIdle()).isTrue();
    }

    @Test
    void countedOnesEndInTheirOrderAndAnsweredOnesByThemselves() {
        link.hasRoom = true;
        List<TestOperation> sends = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            sends.add(new TestOperation(8));
            assertThat(operations.post(sends.getLast(), 0)).isEqualTo(Method.PENDING);
            assertThat(ClientRequests.isCounted(link.note)).isTrue();
            if (i == 1) {
                long second = ClientRequests.reference(link.note);
                operations.onEvent(ClientEvents.pending(new Message(), 0, second, 9));
            }
        }
        assertThat(operations.onAccepted(2)).isTrue();
        assertThat(host.over).containsExactly(sends.get(0), sends.get(2));
        assertThat(operations.onAccepted(67)).isTrue();
        sends.remove(1);
        assertThat(host.over).isEqualTo(sends);
        assertThat(operations.onAccepted(1)).as("none is left").isFalse();
        assertThat(operations.onAccepted(-1)).isFalse();
        assertThat(operations.isAnyPending()).isTrue();
        operations.endAll(-1);
        assertThat(operations.onAccepted(1)).isFalse();
    }

    @Test
    void whatWaitedForRoomIsAnswered() {
        operations.post(new TestOperation(8), 0);
        assertThat(ClientRequests.isCounted(link.note)).isFalse();
        assertThat(operations.onAccepted(1)).isFalse();
    }

    /** Its answer is waited for, so it says which call it is, and for how long. */
    @Test
    void oneThatIsACallHasLessRoom() {
        operations.post(new TestOperation(64), 1);
        assertThat(link.called.kind()).isEqualTo(ClientRequests.SEND_UNEXPECTED);
        assertThat(ClientRequests.eagerSlot(link.called)).isEqualTo(ClientRequests.INLINE);
        operations.post(new TestOperation(65), 1);
        assertThat(ClientRequests.eagerSlot(link.called)).isEqualTo(EAGER_SLOT);
    }

    /** Keeps the last message of either kind. */
    private static final class Link implements ClientLink, QuietChannel {
        private final Message note = new Message();
        private final Message called = new Message();
        private int eagerSlots;

        /** Whether a note is sent at once, under the lock. */
        private boolean hasRoom;

        /** Whether somebody who looks for room finds some. */
        private boolean hasRoomSoon;

        /** What comes from the engine while somebody looks. */
        private Runnable dispatch = () -> {};

        private int looks;
        private int keeps;

        /** Whether there is a slot to lend. */
        private boolean mayLend;

        private int lent;

        /** Whether the engine sleeps, and what happens when it is woken. */
        private boolean mustWake;

        private Runnable onWake = () -> {};
        private Runnable onTake = () -> {};

        /** What happens once a note is in the lane. */
        private Runnable onSent = () -> {};

        /** How often the session was ended. */
        private int ends;

        @Override
        public void wakeEngine() {
            onWake.run();
        }

        @Override
        public void end(String reason) {
            ends++;
        }

        /** What happens while bytes are put into a slot. */
        private Runnable meanwhile = () -> {};

        @Override
        public int takeSlotToLend() {
            onTake.run();
            return mayLend ? takeEagerSlot() : ClientRequests.NOT_EAGER;
        }

        @Override
        public int tryLend(int slot, Message message) {
            assertThat(slot).isEqualTo(EAGER_SLOT);
            int said = tryNote(message);
            lent += said == NOT_SENT ? 0 : 1;
            return said;
        }

        @Override
        public int keeps() {
            return keeps;
        }

        @Override
        public boolean lookForRoom() {
            looks++;
            dispatch.run();
            hasRoom |= hasRoomSoon;
            return hasRoomSoon;
        }

        @Override
        public int tryNote(Message message) {
            note.copyFrom(message);
            if (hasRoom) {
                onSent.run();
            }
            return !hasRoom ? NOT_SENT : mustWake ? WAKE : OK;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            called.copyFrom(request);
            ClientEvents.pending(reply, 1, ClientRequests.reference(request), 9);
            return OK;
        }

        @Override
        public int note(Message message, long timeoutNs) {
            note.copyFrom(message);
            return OK;
        }

        @Override
        public SessionLimits limits() {
            return new SessionLimits(1 << 20, 1000, 1000, 16, 100);
        }

        @Override
        public int generation() {
            return 1;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public int takeEagerSlot() {
            eagerSlots++;
            return EAGER_SLOT;
        }

        @Override
        public void putEager(
                int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
            assertThat(slot).isEqualTo(EAGER_SLOT);
            assertThat(source.byteSize()).isEqualTo(lengthBytes);
            assertThat(source.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
            meanwhile.run();
        }

        @Override
        public long announceEager(int slot) {
            return 1;
        }

        @Override
        public boolean withdrawEager(int slot, long sequence) {
            return true;
        }

        @Override
        public void releaseEagerSlot(int slot) {
            eagerSlots--;
        }

        @Override
        public void hangUp() {}
    }
}
