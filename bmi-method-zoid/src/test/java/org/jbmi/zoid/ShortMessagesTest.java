package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Short messages of a server that hosts the engine: one message each, whoever is in a call. */
@Timeout(60)
class ShortMessagesTest {
    private static final int TAG = 5;

    private final ZoidWorld world = new ZoidWorld("embedded");
    private Pair pair;

    @BeforeEach
    void meet() {
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
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 87, 88})
    void oneIsCompleteInItsPostAlthoughItsClientIsInNoCall(int bytes) {
        long before = moved();
        MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, TAG);
        assertThat(PostResult.isPending(receive)).isTrue();
        assertThat(pair.serverContext().postSend(pair.toClient(), block(bytes), TAG))
                .isEqualTo(bytes);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        expectContent(buffer.asSlice(0, bytes), 0);
        assertThat(buffer.asSlice(bytes).mismatch(MemorySegment.ofArray(new byte[100 - bytes])))
                .isEqualTo(-1);
        // While messages follow each other quickly, the host writes its counters at intervals.
        ZoidWorld.await("the move is counted", 10_000, () -> moved() == before + 1);
    }

    @Test
    void aLongerOneIsGranted() {
        long before = moved();
        MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, TAG);
        long send = pair.serverContext().postSend(pair.toClient(), block(89), TAG);
        assertThat(PostResult.isPending(send)).isTrue();
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(89);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(89);
        expectContent(buffer.asSlice(0, 89), 0);
        assertThat(moved()).isEqualTo(before);
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

    @Test
    void oneFillsPieces() {
        MemorySegment[] pieces = {
            MemorySegment.ofArray(new byte[3]),
            MemorySegment.ofArray(new byte[10]),
            MemorySegment.ofArray(new byte[50])
        };
        long receive =
                pair.clientContext()
                        .postReceiveList(pair.toServer(), pieces, 63, TAG, null, PostOptions.NONE);
        pair.serverContext().postSend(pair.toClient(), block(20), TAG);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(20);
        expectContent(pieces[0], 0);
        expectContent(pieces[1], 3);
        expectContent(pieces[2].asSlice(0, 7), 13);
    }

    @Test
    void oneThatWaitedEndsTheReceiveInItsPost() {
        long send = pair.serverContext().postSend(pair.toClient(), block(8), TAG);
        MemorySegment buffer = MemorySegment.ofArray(new byte[8]);
        assertThat(pair.clientContext().postReceive(pair.toServer(), buffer, TAG)).isEqualTo(8);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(8);
        expectContent(buffer, 0);
    }

    @Test
    void aCancelThatComesTooLateSaysSoAndOneInTimeLeavesTheMessage() {
        MemorySegment first = MemorySegment.ofArray(new byte[8]);
        MemorySegment second = MemorySegment.ofArray(new byte[8]);
        long late = pair.clientContext().postReceive(pair.toServer(), first, TAG);
        pair.serverContext().postSend(pair.toClient(), block(8), TAG);
        assertThat(pair.clientContext().cancel(late)).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(pair.clientContext().await(late, 10_000)).isEqualTo(8);
        long inTime = pair.clientContext().postReceive(pair.toServer(), first, TAG);
        assertThat(pair.clientContext().cancel(inTime)).isEqualTo(CancelOutcome.CANCELLED);
        long send = pair.serverContext().postSend(pair.toClient(), block(8), TAG);
        assertThat(PostResult.isPending(send)).isTrue();
        assertThat(pair.clientContext().postReceive(pair.toServer(), second, TAG)).isEqualTo(8);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(8);
        Completions done = Completions.ofCapacity(1);
        assertThat(pair.clientContext().test(inTime, done, 10_000)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
    }
}
