package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Messages up to the eager limit of a server that hosts the engine: one message of the protocol
 * each, whoever is in a call.
 */
@Timeout(60)
class ShortMessagesTest {
    private static final int TAG = 5;

    /** As long as a data slot. */
    private static final int EAGER = 4096;

    private static final int ROOM = EAGER + 100;

    private ZoidWorld world;
    private Pair pair;

    /** Where the engine runs. */
    String host() {
        return "embedded";
    }

    @BeforeEach
    void meet() {
        world = new ZoidWorld(host());
        world.startHost();
        pair = Pair.in(world);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private MemorySegment block(int bytes) {
        MemorySegment block = pair.toClient().allocate(Math.max(1, bytes));
        for (int i = 0; i < bytes; i++) {
            block.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
        return block.asSlice(0, bytes);
    }

    private static void expectContent(MemorySegment bytes, long from) {
        for (int i = 0; i < bytes.byteSize(); i++) {
            assertThat(bytes.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) (from + i + 1));
        }
    }

    private long moved() {
        return world.hostCount("zbmi.inline.moves");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 87, 88, 89, 128, 129, 4095, EAGER})
    void oneIsCompleteInItsPostAlthoughItsClientIsInNoCall(int bytes) {
        long before = moved();
        MemorySegment buffer = MemorySegment.ofArray(new byte[ROOM]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, TAG);
        assertThat(PostResult.isPending(receive)).isTrue();
        assertThat(pair.serverContext().postSend(pair.toClient(), block(bytes), TAG))
                .isEqualTo(bytes);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        expectContent(buffer.asSlice(0, bytes), 0);
        assertThat(buffer.asSlice(bytes).mismatch(MemorySegment.ofArray(new byte[ROOM - bytes])))
                .isEqualTo(-1);
        // While messages follow each other quickly, the host writes its counters at intervals.
        ZoidWorld.await("the move is counted", 10_000, () -> moved() == before + 1);
    }

    @Test
    void oneThatIsLongerThanADataSlotIsGranted() {
        assertThat(world.hostCount("zbmi.grants")).isZero();
        int bytes = EAGER + 1;
        MemorySegment buffer = MemorySegment.ofArray(new byte[bytes]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, TAG);
        long send = pair.serverContext().postSend(pair.toClient(), block(bytes), TAG);
        assertThat(PostResult.isPending(send)).isTrue();
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(bytes);
        expectContent(buffer, 0);
        ZoidWorld.await("the grant is counted", 10_000, () -> world.hostCount("zbmi.grants") == 1);
    }

    @Test
    void thoseForWhichNoSlotIsFreeWaitForTheClient() {
        int count = SessionArea.DATA_SLOTS + 3;
        MemorySegment[] buffers = new MemorySegment[count];
        long[] receives = new long[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = MemorySegment.ofArray(new byte[EAGER]);
            receives[i] = pair.clientContext().postReceive(pair.toServer(), buffers[i], TAG);
        }
        long[] sends = new long[count];
        for (int i = 0; i < count; i++) {
            sends[i] = pair.serverContext().postSend(pair.toClient(), block(EAGER - i), TAG);
            boolean hasSlot = i < SessionArea.DATA_SLOTS;
            assertThat(PostResult.isPending(sends[i])).as("send %d", i).isEqualTo(!hasSlot);
        }
        for (int i = 0; i < count; i++) {
            assertThat(pair.clientContext().await(receives[i], 10_000)).isEqualTo(EAGER - i);
            expectContent(buffers[i].asSlice(0, EAGER - i), 0);
        }
        for (int i = SessionArea.DATA_SLOTS; i < count; i++) {
            assertThat(pair.serverContext().await(sends[i], 10_000)).isEqualTo(EAGER - i);
        }
    }

    /** The smaller limit of client and host holds, and 88 bytes always go. */
    @ParameterizedTest
    @CsvSource({"0, 88", "50, 88", "100, 100", "4096, 4096", "32768, 4096"})
    void theKnobsSayHowLongOneMayBe(String eagerBytes, int most) {
        Bmi client = world.keep(world.builder().knob("zoid.eagerBytes", eagerBytes).open());
        Pair own = Pair.of(pair.server(), pair.serverContext(), client);
        for (int bytes = most; bytes <= most + 1; bytes++) {
            MemorySegment buffer = MemorySegment.ofArray(new byte[ROOM]);
            long receive = own.clientContext().postReceive(own.toServer(), buffer, TAG);
            long send = own.serverContext().postSend(own.toClient(), block(bytes), TAG);
            assertThat(PostResult.isPending(send)).as("%d bytes", bytes).isEqualTo(bytes > most);
            assertThat(own.clientContext().await(receive, 10_000)).isEqualTo(bytes);
            assertThat(own.serverContext().await(send, 10_000)).isEqualTo(bytes);
            expectContent(buffer.asSlice(0, bytes), 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12})
    void oneAtAnOddPlaceGoesInADataSlot(int offset) {
        MemorySegment buffer = MemorySegment.ofArray(new byte[8]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, TAG);
        MemorySegment bytes = block(100).asSlice(offset, 8);
        assertThat(pair.serverContext().postSend(pair.toClient(), bytes, TAG)).isEqualTo(8);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(8);
        expectContent(buffer, offset);
    }

    @Test
    void aReceiveWhoseTimeIsOverGetsNone() {
        MemorySegment untouched = MemorySegment.ofArray(new byte[8]);
        PostOptions soon = PostOptions.NONE.withDeadlineMs(1);
        long expired =
                pair.clientContext().postReceive(pair.toServer(), untouched, TAG, null, soon);
        long end = System.nanoTime() + 5_000_000;
        ZoidWorld.await("its time is over", 10_000, () -> System.nanoTime() - end > 0);
        long send = pair.serverContext().postSend(pair.toClient(), block(8), TAG);
        MemorySegment next = MemorySegment.ofArray(new byte[8]);
        long receive = pair.clientContext().postReceive(pair.toServer(), next, TAG);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(8);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(8);
        Completions done = Completions.ofCapacity(1);
        assertThat(pair.clientContext().test(expired, done, 10_000)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
        assertThat(untouched.get(ValueLayout.JAVA_BYTE, 0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 500})
    void oneFillsPieces(int bytes) {
        MemorySegment[] pieces = {
            MemorySegment.ofArray(new byte[3]),
            MemorySegment.ofArray(new byte[10]),
            MemorySegment.ofArray(new byte[600])
        };
        long receive =
                pair.clientContext()
                        .postReceiveList(pair.toServer(), pieces, 613, TAG, null, PostOptions.NONE);
        pair.serverContext().postSend(pair.toClient(), block(bytes), TAG);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        expectContent(pieces[0], 0);
        expectContent(pieces[1], 3);
        expectContent(pieces[2].asSlice(0, bytes - 13), 13);
    }

    @Test
    void oneThatWaitedEndsTheReceiveInItsPost() {
        long send = pair.serverContext().postSend(pair.toClient(), block(8), TAG);
        MemorySegment buffer = MemorySegment.ofArray(new byte[8]);
        assertThat(pair.clientContext().postReceive(pair.toServer(), buffer, TAG)).isEqualTo(8);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(8);
        expectContent(buffer, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 1000})
    void aCancelThatComesTooLateSaysSoAndOneInTimeLeavesTheMessage(int bytes) {
        MemorySegment first = MemorySegment.ofArray(new byte[bytes]);
        MemorySegment second = MemorySegment.ofArray(new byte[bytes]);
        long late = pair.clientContext().postReceive(pair.toServer(), first, TAG);
        pair.serverContext().postSend(pair.toClient(), block(bytes), TAG);
        assertThat(pair.clientContext().cancel(late)).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(pair.clientContext().await(late, 10_000)).isEqualTo(bytes);
        long inTime = pair.clientContext().postReceive(pair.toServer(), first, TAG);
        assertThat(pair.clientContext().cancel(inTime)).isEqualTo(CancelOutcome.CANCELLED);
        long send = pair.serverContext().postSend(pair.toClient(), block(bytes), TAG);
        assertThat(PostResult.isPending(send)).isTrue();
        assertThat(pair.clientContext().postReceive(pair.toServer(), second, TAG)).isEqualTo(bytes);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(bytes);
        Completions done = Completions.ofCapacity(1);
        assertThat(pair.clientContext().test(inTime, done, 10_000)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
    }
}
