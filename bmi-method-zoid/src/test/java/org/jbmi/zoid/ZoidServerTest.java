package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

@Timeout(60)
class ZoidServerTest {
    private static final int MIB = 1 << 20;
    private static final int POOL = 8 * MIB;

    private ZoidWorld world;
    private Pair pair;
    private CompletionContext server;
    private PeerAddress toClient;

    @BeforeEach
    void open() {
        world = new ZoidWorld().daemonKnob("zbmi.totalBytes", Integer.toString(POOL + MIB));
        world.startDaemon();
        pair = Pair.in(world);
        server = pair.serverContext();
        toClient = pair.toClient();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private MemorySegment memalloc(long bytes) {
        MemorySegment block = toClient.allocate(bytes);
        assertThat(block).isNotNull();
        return block;
    }

    private static MemorySegment foreign(int bytes, int fill) {
        return MemorySegment.ofArray(new byte[bytes]).fill((byte) fill);
    }

    private MemorySegment receiveOnClient(int tag, int bytes) {
        MemorySegment in = foreign(bytes, 0);
        long receive = pair.clientContext().postReceive(pair.toServer(), in, tag);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        return in;
    }

    private void progress() {
        pair.server().testUnexpected(UnexpectedMessages.ofCapacity(1), 0);
    }

    private boolean isDone(long id) {
        return server.test(id, Completions.ofCapacity(1), 0) == 1;
    }

    /** The whole pool can be allocated: nothing of it is kept by anybody. */
    private void expectPoolIsFree() {
        pair.server().free(memalloc(POOL));
    }

    @Test
    void aFullPoolMakesForeignSendsWaitAndFreeingServesThem() {
        MemorySegment all = memalloc(POOL);
        long first = server.postSend(toClient, foreign(MIB, 1), 1);
        long second = server.postSend(toClient, foreign(MIB, 2), 1);
        assertThat(PostResult.isPending(first) && PostResult.isPending(second)).isTrue();
        long copies = world.count(pair.server(), "zoid.server.copies");
        pair.server().free(all);
        assertThat(world.count(pair.server(), "zoid.server.copies"))
                .as("who frees copies for nobody")
                .isEqualTo(copies);
        progress();
        assertThat(receiveOnClient(1, MIB).get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) 1);
        assertThat(receiveOnClient(1, MIB).get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) 2);
        assertThat(server.await(first, 10_000)).isEqualTo(MIB);
        assertThat(server.await(second, 10_000)).isEqualTo(MIB);
        expectPoolIsFree();
    }

    @Test
    void aTemporaryBlockThatComesBackServesTheNext() {
        MemorySegment most = memalloc(POOL - MIB - 64);
        List<Long> sends = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sends.add(server.postSend(toClient, foreign(MIB, i), 1));
        }
        for (int i = 0; i < 5; i++) {
            assertThat(receiveOnClient(1, MIB).get(ValueLayout.JAVA_BYTE, 9)).isEqualTo((byte) i);
            assertThat(server.await(sends.get(i), 10_000)).isEqualTo(MIB);
        }
        pair.server().free(most);
        expectPoolIsFree();
    }

    @Test
    void aReceiveIntoThePoolWaitsBehindAQueuedOneOfItsKey() {
        MemorySegment in = memalloc(1000);
        MemorySegment rest = memalloc(POOL - 1024);
        MemorySegment early = foreign(1000, 0);
        long first = server.postReceive(toClient, early, 1);
        long second = server.postReceive(toClient, in, 1);
        assertThat(PostResult.isPending(first) && PostResult.isPending(second)).isTrue();
        long sendOne = pair.clientContext().postSend(pair.toServer(), foreign(2000, 1), 2);
        long one = pair.clientContext().postSend(pair.toServer(), foreign(1000, 1), 1);
        long two = pair.clientContext().postSend(pair.toServer(), foreign(1000, 2), 1);
        assertThat(isDone(second)).isFalse();
        pair.server().free(rest);
        progress();
        assertThat(pair.clientContext().await(one, 10_000)).isEqualTo(1000);
        assertThat(pair.clientContext().await(two, 10_000)).isEqualTo(1000);
        assertThat(server.await(first, 10_000)).isEqualTo(1000);
        assertThat(server.await(second, 10_000)).isEqualTo(1000);
        assertThat(early.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
        assertThat(in.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 2);
        pair.clientContext().cancel(sendOne);
    }

    @Test
    void aQueuedOneIsCancelledOnTheSpotAndTheOthersAreServed() {
        MemorySegment all = memalloc(POOL);
        long[] sends = new long[3];
        for (int i = 0; i < 3; i++) {
            sends[i] = server.postSend(toClient, foreign(MIB, i), 1);
        }
        long commands = world.count(pair.server(), "zoid.server.commands");
        assertThat(server.cancel(sends[2])).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(world.count(pair.server(), "zoid.server.commands")).isEqualTo(commands);
        assertThatThrownBy(() -> server.await(sends[2], 1000))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ECANCEL);
        pair.server().free(all);
        progress();
        receiveOnClient(1, MIB);
        receiveOnClient(1, MIB);
        assertThat(server.await(sends[0], 10_000)).isEqualTo(MIB);
        assertThat(server.await(sends[1], 10_000)).isEqualTo(MIB);
        expectPoolIsFree();
    }

    @Test
    void whatNeverFitsIsRefusedAtOnce() {
        assertThat(server.postSend(toClient, foreign(POOL + MIB, 1), 1))
                .isEqualTo(ErrorCode.ENOMEM.negativeValue());
        expectPoolIsFree();
    }

    @Test
    void theStrictFormRefusesForeignMemoryAndKeepsNothing() {
        MemorySegment block = memalloc(3000);
        PostOptions strict = PostOptions.NONE.withPoolOnly();
        int refused = ErrorCode.EINVAL.negativeValue();
        assertThat(server.postReceive(toClient, foreign(10, 0), 1, null, strict))
                .isEqualTo(refused);
        MemorySegment[] mixed = {block.asSlice(0, 10), foreign(10, 0), block.asSlice(20, 10)};
        assertThat(server.postReceiveList(toClient, mixed, 30, 1, null, strict)).isEqualTo(refused);
        long good = server.postReceive(toClient, block.asSlice(7, 100), 1, null, strict);
        assertThat(PostResult.isPending(good)).isTrue();
        assertThatThrownBy(() -> pair.server().free(block))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EBUSY);
        server.cancel(good);
        pair.server().free(block);
        expectPoolIsFree();
    }

    @Test
    void aListInsideThePoolIsNotCopied() {
        MemorySegment block = memalloc(100_000);
        MemorySegment[] pieces = new MemorySegment[100];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = block.asSlice((99 - i) * 1000L, 1 + i * 9L);
        }
        int bytes = 0;
        for (MemorySegment piece : pieces) {
            bytes += (int) piece.byteSize();
        }
        long receive = server.postReceiveList(toClient, pieces, bytes, 1, null, PostOptions.NONE);
        byte[] data = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            data[i] = (byte) (i * 7);
        }
        long send = pair.clientContext().postSend(pair.toServer(), MemorySegment.ofArray(data), 1);
        assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(bytes);
        assertThat(server.await(receive, 10_000)).isEqualTo(bytes);
        int at = 0;
        for (MemorySegment piece : pieces) {
            for (long i = 0; i < piece.byteSize(); i++) {
                assertThat(piece.get(ValueLayout.JAVA_BYTE, i)).isEqualTo(data[at++]);
            }
        }
        assertThat(world.count(pair.server(), "zoid.server.copies")).isZero();
        long back = server.postSendList(toClient, pieces, bytes, 2, null, PostOptions.NONE);
        assertThat(receiveOnClient(2, bytes).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(data);
        assertThat(server.await(back, 10_000)).isEqualTo(bytes);
        assertThat(world.count(pair.server(), "zoid.server.copies")).isZero();
        pair.server().free(block);
        expectPoolIsFree();
    }

    @Test
    void aListOfForeignMemoryIsCopiedOnce() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] pieces = {foreign(10, 0), arena.allocate(100), foreign(5000, 0)};
            long receive =
                    server.postReceiveList(toClient, pieces, 5110, 1, null, PostOptions.NONE);
            long send = pair.clientContext().postSend(pair.toServer(), foreign(60, 3), 1);
            assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(60);
            assertThat(server.await(receive, 10_000)).isEqualTo(60);
            assertThat(pieces[0].get(ValueLayout.JAVA_BYTE, 9)).isEqualTo((byte) 3);
            assertThat(pieces[1].get(ValueLayout.JAVA_BYTE, 49)).isEqualTo((byte) 3);
            assertThat(pieces[1].get(ValueLayout.JAVA_BYTE, 50)).isZero();
            assertThat(world.count(pair.server(), "zoid.server.copies")).isEqualTo(1);
        }
        expectPoolIsFree();
    }

    @Test
    void aPostIsDoneAtOnceWhenItsClientWaits() throws Exception {
        MemorySegment in = foreign(MIB, 0);
        long receive = pair.clientContext().postReceive(pair.toServer(), in, 1);
        long before = world.daemonCount("zbmi.calls.test"); // they have met with some
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(
                        () ->
                                pair.clientContext()
                                        .test(receive, Completions.ofCapacity(1), 20_000));
        ZoidWorld.await(
                "the client waits", 5000, () -> world.daemonCount("zbmi.calls.test") > before);
        long send = server.postSend(toClient, foreign(MIB, 4), 1);
        assertThat(send).isEqualTo(MIB);
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(in.get(ValueLayout.JAVA_BYTE, MIB - 1)).isEqualTo((byte) 4);
        assertThat(server.testContext(Completions.ofCapacity(1), 20)).isZero();
        assertThat(world.count(pair.server(), "zoid.server.immediateCompletions")).isEqualTo(1);
        expectPoolIsFree();
    }

    @Test
    void cancelOfARegisteredOne() {
        MemorySegment block = memalloc(100);
        long receive = server.postReceive(toClient, block, 1);
        assertThat(server.cancel(receive)).isEqualTo(CancelOutcome.CANCELLED);
        assertThatThrownBy(() -> server.await(receive, 1000))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ECANCEL);
        long send = pair.clientContext().postSend(pair.toServer(), foreign(100, 1), 1);
        assertThat(PostResult.isPending(send)).isTrue();
        assertThat(server.await(server.postReceive(toClient, block, 1), 10_000)).isEqualTo(100);
        assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(100);
    }

    @Test
    void memoryGivenBackUnderAnOperationHurtsNobodyElse() {
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(50_000);
        long receive = server.postReceive(toClient, gone, 1);
        long clientReceive = pair.clientContext().postReceive(pair.toServer(), gone, 2);
        arena.close();
        long send = pair.clientContext().postSend(pair.toServer(), foreign(50_000, 1), 1);
        assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(50_000);
        assertThatThrownBy(() -> server.await(receive, 10_000))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EFAULT);
        long toGone = server.postSend(toClient, foreign(50_000, 1), 2);
        assertThatThrownBy(() -> pair.clientContext().await(clientReceive, 10_000))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EFAULT);
        assertThatThrownBy(() -> server.await(toGone, 10_000))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EFAULT);
        pair.exchange(3, 10_000);
        expectPoolIsFree();
    }

    @Test
    void manyThreadsPostAndTestAtATime() throws Exception {
        int threads = 64;
        int rounds = 40;
        try (ExecutorService pool = Executors.newFixedThreadPool(2 * threads)) {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int tag = t + 1;
                results.add(pool.submit(() -> echo(tag, rounds)));
                results.add(pool.submit(() -> ask(tag, rounds)));
            }
            for (Future<?> result : results) {
                result.get(50, TimeUnit.SECONDS);
            }
        }
        expectPoolIsFree();
    }

    private void echo(int tag, int rounds) {
        MemorySegment block = memalloc(2000);
        MemorySegment foreign = foreign(2000, 0);
        for (int i = 0; i < rounds; i++) {
            MemorySegment buffer = i % 2 == 0 ? block : foreign;
            long receive = server.postReceive(toClient, buffer, tag);
            long bytes = server.await(receive, 30_000);
            long send = server.postSend(toClient, buffer.asSlice(0, bytes), tag);
            assertThat(server.await(send, 30_000)).isEqualTo(bytes);
        }
        pair.server().free(block);
    }

    private void ask(int tag, int rounds) {
        CompletionContext context = pair.clientContext();
        for (int i = 0; i < rounds; i++) {
            int bytes = 8 + (tag * 37 + i * 101) % 1900;
            MemorySegment out = foreign(bytes, tag ^ i);
            MemorySegment in = foreign(2000, 0);
            long receive = context.postReceive(pair.toServer(), in, tag);
            long send = context.postSend(pair.toServer(), out, tag);
            assertThat(context.await(send, 30_000)).isEqualTo(bytes);
            assertThat(context.await(receive, 30_000)).isEqualTo(bytes);
            assertThat(in.asSlice(0, bytes).mismatch(out)).isEqualTo(-1);
        }
    }
}
