package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@Timeout(60)
class ZoidClientTest {
    private ZoidWorld world;
    private Pair pair;
    private CompletionContext client;
    private PeerAddress toServer;

    @BeforeEach
    void open() {
        world = ZoidWorld.started();
        pair = Pair.in(world);
        client = pair.clientContext();
        toServer = pair.toServer();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private long calls(String kind) {
        return world.count(pair.client(), "zoid.client.forwardedCalls" + kind);
    }

    private static MemorySegment bytes(int count, int fill) {
        return MemorySegment.ofArray(new byte[count]).fill((byte) fill);
    }

    @Test
    void aLongTestIsOneForwardedCallAndWakesSeldom() {
        long idleMs = Boolean.getBoolean("jbmi.long") ? 10_000 : 3_000; // many slices of a sleep
        long receive = client.postReceive(toServer, bytes(10, 0), 1);
        long before = calls("");
        long testsBefore = calls(".test");
        long sleepsBefore = world.count(pair.client(), "zoid.futexCalls");
        assertThat(client.test(receive, Completions.ofCapacity(1), idleMs)).isZero();
        assertThat(calls("") - before).isEqualTo(1);
        assertThat(calls(".test") - testsBefore).isEqualTo(1);
        // Ten in the first second, then one a second.
        assertThat(world.count(pair.client(), "zoid.futexCalls") - sleepsBefore)
                .isBetween(1L, 10 + idleMs / 1000 + 6);
    }

    @Test
    void whoPollsNeedNotAskEachTime() {
        long receive = client.postReceive(toServer, bytes(10, 0), 1);
        Completions done = one();
        for (int i = 0; i < 10_000; i++) {
            assertThat(client.test(receive, done, 0)).isZero();
        }
        assertThat(calls(".test")).isBetween(1L, 5_000L);
        long send = pair.serverContext().postSend(pair.toClient(), bytes(10, 7), 1);
        assertThat(client.await(receive, 10_000)).isEqualTo(10);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(10);
    }

    @Test
    void aWaiterUsesHardlyAnyProcessor() {
        var threads = ManagementFactory.getThreadMXBean();
        long receive = client.postReceive(toServer, bytes(10, 0), 1);
        long before = threads.getCurrentThreadCpuTime();
        client.test(receive, Completions.ofCapacity(1), 1500);
        long clientNs = threads.getCurrentThreadCpuTime() - before;
        before = threads.getCurrentThreadCpuTime();
        pair.server().testUnexpected(UnexpectedMessages.ofCapacity(1), 1500);
        long serverNs = threads.getCurrentThreadCpuTime() - before;
        // A spinning waiter would need 1500 ms.
        assertThat(TimeUnit.NANOSECONDS.toMillis(clientNs)).isLessThan(150);
        assertThat(TimeUnit.NANOSECONDS.toMillis(serverNs)).isLessThan(150);
    }

    @Test
    void everyPostIsOneForwardedCall() {
        long before = calls("");
        client.postReceive(toServer, bytes(10, 0), 1);
        client.postSend(toServer, bytes(10, 0), 2);
        client.postSend(toServer, bytes(10_000, 0), 3);
        client.postSendUnexpected(toServer, bytes(8000, 0), 4);
        assertThat(calls("") - before).isEqualTo(4);
        assertThat(calls(".recv")).isEqualTo(1);
    }

    @Test
    void cancelIsDecidedWithoutACall() {
        long small = client.postSend(toServer, bytes(10, 1), 1);
        long large = client.postSend(toServer, bytes(10_000, 1), 1);
        long receive = client.postReceive(toServer, bytes(10, 1), 1);
        long before = calls("");
        for (long id : new long[] {small, large, receive}) {
            assertThat(client.cancel(id)).isEqualTo(CancelOutcome.CANCELLED);
            assertThatThrownBy(() -> client.await(id, 1000))
                    .extracting(e -> ((BmiException) e).code())
                    .isEqualTo(ErrorCode.ECANCEL);
            assertThat(client.cancel(id)).isEqualTo(CancelOutcome.UNKNOWN);
        }
        assertThat(calls("")).isEqualTo(before);
        MemorySegment block = pair.toClient().allocate(20_000);
        long unmatched = pair.serverContext().postReceive(pair.toClient(), block, 1);
        assertThat(PostResult.isPending(unmatched)).isTrue();
        assertThat(client.testContext(Completions.ofCapacity(4), 50)).isZero();
        assertThat(pair.serverContext().cancel(unmatched)).isEqualTo(CancelOutcome.CANCELLED);
    }

    @Test
    void cancelledOnesEndAWaitAtOnceAndAskNobody() {
        long one = client.postReceive(toServer, bytes(10, 0), 1);
        client.cancel(one);
        long before = calls("");
        assertThat(client.testContext(Completions.ofCapacity(4), 10_000)).isEqualTo(1);
        assertThat(calls("")).isEqualTo(before);
    }

    @Test
    void aPostWaitsAsLongAsItIsTold() throws Exception {
        pair.client().setOption(ZoidOptions.POST_TIMEOUT_MS, 20_000);
        CompletableFuture<Long> posting =
                CompletableFuture.supplyAsync(
                        () -> client.postSend(toServer, bytes(100_000, 6), 1));
        ZoidWorld.await("the post waits", 5000, () -> world.daemonCount("zbmi.calls.send") > 1);
        assertThat(posting).isNotDone();
        MemorySegment block = pair.toClient().allocate(100_000);
        assertThat(pair.serverContext().postReceive(pair.toClient(), block, 1)).isEqualTo(100_000);
        assertThat(posting.get(10, TimeUnit.SECONDS)).isEqualTo(100_000);
        assertThat(block.get(ValueLayout.JAVA_BYTE, 99_999)).isEqualTo((byte) 6);

        pair.client().setOption(toServer, ZoidOptions.POST_TIMEOUT_MS, 50);
        long receive = client.postReceive(toServer, bytes(10, 0), 2);
        assertThat(PostResult.isPending(receive)).isTrue();
        assertThat(pair.client().getOption(ZoidOptions.POST_TIMEOUT_MS)).isEqualTo(50);
        assertThatThrownBy(() -> pair.client().setOption(ZoidOptions.POST_TIMEOUT_MS, -1))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EINVAL);
    }

    @Test
    void moreSmallSendsThanThereAreEagerSlotsStayInOrder() {
        int count = 100;
        long[] sends = new long[count];
        for (int i = 0; i < count; i++) {
            sends[i] = client.postSend(toServer, bytes(1 + i % 7, i), 9);
            assertThat(PostResult.isPending(sends[i])).isTrue();
        }
        MemorySegment block = pair.toClient().allocate(64);
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(() -> client.test(sends[count - 1], one(), 30_000));
        for (int i = 0; i < count; i++) {
            long receive = pair.serverContext().postReceive(pair.toClient(), block, 9);
            assertThat(pair.serverContext().await(receive, 10_000)).isEqualTo(1 + i % 7);
            assertThat(block.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) i);
        }
        assertThat(waiting.join()).isEqualTo(1);
        for (int i = 0; i < count - 1; i++) {
            assertThat(client.await(sends[i], 10_000)).isEqualTo(1 + i % 7);
        }
        ZoidWorld.await("more", 5000, () -> world.daemonCount("zbmi.eager.moves") > 16);
    }

    private static Completions one() {
        return Completions.ofCapacity(1);
    }

    @Test
    void shortUnexpectedMessagesDoNotWaitForTheEngine() {
        UnexpectedMessages taken = UnexpectedMessages.ofCapacity(1);
        for (int i = 0; i < 3; i++) {
            long sent = client.postSendUnexpected(toServer, bytes(40, i), i);
            assertThat(sent).as("out of its hands, and so over").isEqualTo(40);
            assertThat(pair.server().testUnexpected(taken, 10_000)).isEqualTo(1);
            assertThat(taken.tag(0)).isEqualTo(i);
            taken.free(0);
        }
    }

    @Test
    void moreUnexpectedMessagesThanThereAreSlotsArePostedWithoutATest() throws Exception {
        int count = 20_000; // zbmi.maxClientOperations is 16 384
        CompletableFuture<Void> server = CompletableFuture.runAsync(() -> takeUnexpected(count));
        for (int i = 0; i < count; i++) {
            long sent = client.postSendUnexpected(toServer, bytes(8, 1), i);
            assertThat(sent).as("message %d", i).isNotNegative();
        }
        // A server that is slow has accepted half a region of them: the others move in tests.
        Completions done = Completions.ofCapacity(16);
        while (!server.isDone()) {
            client.testContext(done, 10);
        }
        server.get(20, TimeUnit.SECONDS);
        assertThat(pair.server().testUnexpected(UnexpectedMessages.ofCapacity(1), 0)).isZero();
    }

    private void takeUnexpected(int count) {
        UnexpectedMessages taken = UnexpectedMessages.ofCapacity(16);
        int expected = 0;
        while (expected < count) {
            int found = pair.server().testUnexpected(taken, 10_000);
            assertThat(found).isPositive();
            for (int i = 0; i < found; i++) {
                assertThat(taken.tag(i)).isEqualTo(expected++);
                taken.free(i);
            }
        }
    }

    @Test
    void refusedUnexpectedMessagesMoveNoPayload() {
        long before = world.count(pair.client(), "zoid.client.copies");
        int pending = 0;
        for (int i = 0; i < 200; i++) {
            long sent = client.postSendUnexpected(toServer, bytes(8192, i), i);
            pending += PostResult.isPending(sent) ? 1 : 0;
        }
        long accepted = 200 - pending;
        // Half of the region: one client that floods leaves as much as it holds.
        assertThat(accepted).isBetween(50L, 64L);
        assertThat(world.count(pair.client(), "zoid.client.copies") - before).isEqualTo(accepted);
        ZoidWorld.await("one", 5000, () -> world.daemonCount("zbmi.unexpected.deferred") > 0);
    }

    @Test
    void memoryInUseIsNotFreed() {
        MemorySegment own = toServer.allocate(1000);
        assertThat(own.address() % 64).isZero();
        long receive = client.postReceive(toServer, own.asSlice(10, 20), 1);
        assertThatThrownBy(() -> pair.client().free(own))
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EBUSY);
        client.cancel(receive);
        pair.client().free(own);
    }

    @Test
    void aSleeperInASelectorIsWokenByAByte() throws Exception {
        try (Bmi mixed = world.builder().method("selecting").open();
                CompletionContext context = mixed.openContext()) {
            Pair other = Pair.of(pair.server(), pair.serverContext(), mixed);
            for (int i = 0; i < 20; i++) {
                MemorySegment in = bytes(5000, 0);
                long receive = context.postReceive(other.toServer(), in, 1);
                long tests = world.daemonCount("zbmi.calls.test");
                CompletableFuture<Integer> waiting =
                        CompletableFuture.supplyAsync(() -> context.test(receive, one(), 30_000));
                ZoidWorld.await(
                        "it waits", 5000, () -> world.daemonCount("zbmi.calls.test") > tests);
                TimeUnit.MILLISECONDS.sleep(5);
                long send = pair.serverContext().postSend(other.toClient(), bytes(5000, 7), 1);
                assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(5000);
            }
            ZoidWorld.await("one", 5000, () -> world.daemonCount("zbmi.wakes.socket") > 0);
        }
    }
}
