package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The engine's process is stopped. Whatever a program asks of its own side goes on, within bounds
 * that do not grow with what is pending, and what was said meanwhile is heard when it goes on.
 *
 * <p>A call waits for the engine for as long as the default says, 10 s; no bound here is as long as
 * one of them.
 */
@Timeout(90)
class StoppedHostTest {
    private static final int SEVERAL = 20;
    private static final int MORE_THAN_A_LANE = 200;
    private static final long BOUND_MS = 6000;

    private final ZoidWorld world = new ZoidWorld();
    private Children.Child daemon;
    private Pair pair;

    @BeforeEach
    void meet(TestInfo info) throws Exception {
        daemon = Children.start("daemon", world);
        daemon.says("daemon.sock");
        BmiBuilder serving = bounded(world.serverBuilder());
        if (isMethod(info, "aServerThatHasLongCloses")) {
            serving.knob("zoid.closeTimeoutMs", "60000").knob("bmi.closeWaitMs", "300");
        }
        if (isMethod(info, "anInterruptedThread")) {
            serving.knob("zoid.closeTimeoutMs", "2000");
        }
        Bmi server = world.keep(serving.open());
        Bmi client =
                world.keep(
                        bounded(world.builder())
                                .knob("zoid.callTimeoutMs", clientCallMs(info))
                                .open());
        pair = Pair.of(server, server.openContext(), client);
    }

    // Only whoever fills a lane waits for this.
    private static String clientCallMs(TestInfo info) {
        return isMethod(info, "aCancel") ? "50" : "10000";
    }

    private static boolean isMethod(TestInfo info, String start) {
        return info.getTestMethod().orElseThrow().getName().startsWith(start);
    }

    private static BmiBuilder bounded(BmiBuilder builder) {
        return builder.knob("zoid.closeTimeoutMs", "300");
    }

    @AfterEach
    void close() {
        daemon.close();
        world.close();
    }

    private static MemorySegment buffer() {
        return MemorySegment.ofArray(new byte[4096]);
    }

    private void postReceives(CompletionContext context, int count) {
        boolean ofServer = context == pair.serverContext();
        for (int i = 0; i < count; i++) {
            long posted =
                    context.postReceive(
                            ofServer ? pair.toClient() : pair.toServer(), buffer(), 100 + i);
            assertThat(PostResult.isPending(posted)).isTrue();
        }
    }

    private static void expectBounded(String what, Runnable action) {
        long startNs = System.nanoTime();
        action.run();
        assertThat((System.nanoTime() - startNs) / 1_000_000)
                .as(what + ", ms")
                .isLessThan(BOUND_MS);
    }

    @Test
    void deadlinesThatPassDoNotHoldWhoeverTests() throws Exception {
        PostOptions soon = PostOptions.NONE.withDeadlineMs(50);
        int[] ended = new int[1];
        for (int i = 0; i < 3; i++) {
            long posted =
                    pair.serverContext()
                            .postReceive(pair.toClient(), buffer(), 100 + i, null, soon);
            if (!PostResult.isPending(posted)) { // on a busy machine a post may take 50 ms
                assertThat(PostResult.refusal(posted)).isEqualTo(ErrorCode.ETIMEDOUT);
                ended[0]++;
            }
        }
        daemon.signal("STOP");
        expectBounded("a test call of half a second", () -> ended[0] += expired(500));
        daemon.signal("CONT");
        while (ended[0] < 3) {
            int count = expired(20_000);
            assertThat(count).isPositive();
            ended[0] += count;
        }
    }

    private int expired(long idleMs) {
        Completions done = Completions.ofCapacity(8);
        int count = pair.serverContext().testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            assertThat(done.outcome(i)).isEqualTo(ErrorCode.ETIMEDOUT);
        }
        return count;
    }

    @Test
    void aServersContextCloses() throws Exception {
        postReceives(pair.serverContext(), SEVERAL);
        daemon.signal("STOP");
        expectBounded("closing a context", pair.serverContext()::close);
        daemon.signal("CONT");
    }

    @Test
    void aServerCloses() throws Exception {
        postReceives(pair.serverContext(), SEVERAL);
        daemon.signal("STOP");
        expectBounded("closing", pair.server()::close);
    }

    @Test
    void aServerThatHasLongClosesInTheTimeOfItsInstance() throws Exception {
        postReceives(pair.serverContext(), SEVERAL);
        daemon.signal("STOP");
        expectBounded("closing", pair.server()::close);
    }

    /** Looks every 0.2 ms for 1.5 s take a small part of that. */
    @Test
    void anInterruptedThreadThatClosesAServerSleepsBetweenItsLooks() throws Exception {
        postReceives(pair.serverContext(), SEVERAL);
        daemon.signal("STOP");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long startNs = threads.getCurrentThreadCpuTime();
        Thread.currentThread().interrupt();
        pair.server().close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads.getCurrentThreadCpuTime() - startNs).isLessThan(700_000_000);
    }

    @Test
    void aReceiveIsPostedWithoutWaitingForTheHost() throws Exception {
        daemon.signal("STOP");
        expectBounded("posting", () -> postReceives(pair.clientContext(), SEVERAL));
        daemon.signal("CONT");
        CompletionContext context = pair.clientContext();
        long last = context.postReceive(pair.toServer(), buffer(), 7);
        long send = pair.serverContext().postSend(pair.toClient(), buffer(), 7);
        assertThat(context.await(last, 20_000)).isEqualTo(4096);
        assertThat(pair.serverContext().await(send, 20_000)).isEqualTo(4096);
    }

    @Test
    void aClientsContextCloses() throws Exception {
        postReceives(pair.clientContext(), MORE_THAN_A_LANE);
        daemon.signal("STOP");
        expectBounded("closing a context", pair.clientContext()::close);
        daemon.signal("CONT");
        CompletionContext next = pair.client().openContext();
        long answer = next.postReceive(pair.toServer(), buffer(), 100);
        long send = pair.serverContext().postSend(pair.toClient(), buffer(), 100);
        assertThat(next.await(answer, 20_000)).isEqualTo(4096);
        assertThat(pair.serverContext().await(send, 20_000)).isEqualTo(4096);
    }

    @Test
    void aClientCloses() throws Exception {
        postReceives(pair.clientContext(), MORE_THAN_A_LANE);
        daemon.signal("STOP");
        expectBounded("closing", pair.client()::close);
    }

    @Test
    void whoPollsGoesOn() throws Exception {
        postReceives(pair.clientContext(), 1);
        daemon.signal("STOP");
        Completions done = Completions.ofCapacity(1);
        expectBounded(
                "a hundred polls",
                () -> {
                    for (int i = 0; i < 100; i++) {
                        assertThat(pair.clientContext().testContext(done, 0)).isZero();
                    }
                });
        daemon.signal("CONT");
        long send = pair.serverContext().postSend(pair.toClient(), buffer(), 100);
        ZoidWorld.await(
                "it is found by polls",
                20_000,
                () -> pair.clientContext().testContext(done, 0) == 1);
        assertThat(pair.serverContext().await(send, 20_000)).isEqualTo(4096);
    }

    /** Later messages of its tag went to the receive that is no more, if the engine never knew. */
    @Test
    void aCancelThatFindsTheLaneFullIsHeardInTheEnd() throws Exception {
        long cancelled = pair.clientContext().postReceive(pair.toServer(), buffer(), 9);
        daemon.signal("STOP");
        fillLane();
        expectBounded(
                "a cancel",
                () ->
                        assertThat(pair.clientContext().cancel(cancelled))
                                .isEqualTo(CancelOutcome.CANCELLED));
        daemon.signal("CONT");
        Completions done = Completions.ofCapacity(1);
        assertThat(pair.clientContext().test(cancelled, done, 1000)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        for (int i = 0; i < 3; i++) {
            long next = postedReceive();
            long send = pair.serverContext().postSend(pair.toClient(), buffer(), 9);
            assertThat(pair.clientContext().await(next, 20_000)).isEqualTo(4096);
            assertThat(pair.serverContext().await(send, 20_000)).isEqualTo(4096);
        }
    }

    /** A busy machine may leave the lane full for longer than a call waits. */
    private long postedReceive() {
        long[] posted = new long[1];
        ZoidWorld.await(
                "the lane has room",
                20_000,
                () -> {
                    posted[0] = pair.clientContext().postReceive(pair.toServer(), buffer(), 9);
                    return !PostResult.isRefused(posted[0]);
                });
        return posted[0];
    }

    private void fillLane() {
        CompletionContext filler = pair.client().openContext();
        MemorySegment small = MemorySegment.ofArray(new byte[8]);
        long posted = 0;
        for (int i = 0; i < MORE_THAN_A_LANE && !PostResult.isRefused(posted); i++) {
            posted = filler.postSendUnexpected(pair.toServer(), small, 1);
        }
        assertThat(posted).as("the lane is full").isEqualTo(ErrorCode.ETIMEDOUT.negativeValue());
    }
}
