package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Beginnings and ends. */
@Timeout(60)
class LifeTest {
    private final ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static ErrorCode codeOf(Throwable thrown) {
        return ((BmiException) thrown).code();
    }

    @Test
    void aServerWaitsForItsDaemon() throws Exception {
        CompletableFuture<Bmi> opening = CompletableFuture.supplyAsync(world::server);
        TimeUnit.MILLISECONDS.sleep(200);
        assertThat(opening).isNotDone();
        world.startDaemon();
        Bmi server = opening.get(10, TimeUnit.SECONDS);
        Pair.of(server, server.openContext(), world.client()).exchange(1, 100);
    }

    @Test
    void aClientWaitsForItsDaemonToo() throws Exception {
        Bmi client = world.client();
        CompletableFuture<PeerAddress> looking =
                CompletableFuture.supplyAsync(() -> client.lookup("zoid://"));
        TimeUnit.MILLISECONDS.sleep(200);
        assertThat(looking).isNotDone();
        world.startDaemon();
        assertThat(looking.get(10, TimeUnit.SECONDS).displayName()).isEqualTo("zoid://");
    }

    @Test
    void withoutADaemonBothSayWhatToDo() {
        assertThatThrownBy(() -> world.serverBuilder().knob("zoid.attachTimeoutMs", "50").open())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(world.runtime().toString())
                .hasMessageContaining("bin/zbmi serve")
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENETDOWN));
        Bmi client = world.keep(world.builder().knob("zoid.attachTimeoutMs", "0").open());
        assertThatThrownBy(() -> client.lookup("zoid://"))
                .hasMessageContaining("bin/zbmi serve")
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENETDOWN));
    }

    @Test
    void aSecondServerIsToldSo() {
        world.startDaemon();
        Pair pair = Pair.in(world);
        assertThatThrownBy(world::server)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("server")
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EBUSY));
        pair.exchange(1, 1000);
    }

    @Test
    void aServerFinishesAndComesBackWhileItsClientsGoOn() {
        world.startDaemon();
        Bmi client = world.client();
        CompletionContext context = client.openContext();
        Bmi first = world.server();
        PeerAddress toServer = client.lookup("zoid://");
        MemorySegment in = MemorySegment.ofArray(new byte[100]);
        long receive = context.postReceive(toServer, in, 55);
        assertThat(PostResult.isPending(receive)).isTrue();
        first.close();
        assertThat(codeOf(catchThrowable(() -> context.await(receive, 10_000))))
                .isEqualTo(ErrorCode.EPIPE);
        for (int i = 0; i < 3; i++) {
            Bmi server = world.serverBuilder().open();
            Pair.of(server, server.openContext(), client).exchange(i + 1, 50_000);
            server.close();
        }
        long early = context.postReceive(toServer, in, 55);
        assertThat(PostResult.isPending(early)).as("there is no server").isTrue();
        Bmi last = world.server();
        CompletionContext lastContext = last.openContext();
        Pair pair = Pair.of(last, lastContext, client);
        MemorySegment out = MemorySegment.ofArray(new byte[] {1, 2, 3});
        long send = lastContext.postSend(pair.toClient(), out, 55);
        assertThat(context.await(early, 10_000)).isEqualTo(3);
        assertThat(lastContext.await(send, 10_000)).isEqualTo(3);
    }

    @Test
    void clientsComeAndGoWithoutATrace() {
        world.startDaemon();
        Bmi server = world.server();
        CompletionContext context = server.openContext();
        for (int i = 0; i < 50; i++) {
            try (Bmi client = world.builder().open()) {
                Pair pair = Pair.of(server, context, client);
                pair.exchange(1, 2000);
                pair.toClient().release();
            }
        }
        ZoidWorld.await(
                "all are gone", 10_000, () -> world.daemonCount("zbmi.sessions.attached") == 1);
        assertThat(world.daemonCount("zbmi.sessions.quarantined")).isZero();
        assertThat(world.daemonCount("zbmi.faults")).isZero();
    }

    @Test
    void closingEndsWhatIsPendingOnBothSides() {
        world.startDaemon();
        Pair pair = Pair.in(world);
        MemorySegment buffer = MemorySegment.ofArray(new byte[5000]);
        for (int tag = 0; tag < 200; tag++) {
            long receive = pair.serverContext().postReceive(pair.toClient(), buffer, tag);
            assertThat(PostResult.isPending(receive)).isTrue();
        }
        pair.server().close();
        pair.client().close();
        assertThat(pair.server().isClosed()).isTrue();
        assertThat(world.daemonCount("zbmi.faults")).isZero();
    }

    @Test
    void threadsThatWaitReturnWhenTheInstanceIsClosed() throws Exception {
        world.startDaemon();
        Pair pair = Pair.in(world);
        MemorySegment buffer = MemorySegment.ofArray(new byte[5000]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, 1);
        FutureTask<Integer> waiting =
                new FutureTask<>(
                        () ->
                                pair.clientContext()
                                        .test(receive, Completions.ofCapacity(1), 60_000));
        FutureTask<Integer> listening =
                new FutureTask<>(
                        () ->
                                pair.server()
                                        .testUnexpected(UnexpectedMessages.ofCapacity(1), 60_000));
        ZoidWorld.awaitWaiting(Thread.ofPlatform().daemon().start(waiting));
        ZoidWorld.awaitWaiting(Thread.ofPlatform().daemon().start(listening));
        pair.client().close();
        pair.server().close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(listening.get(10, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void theDaemonsLimitsHoldToo() {
        world.daemonKnob("zbmi.maxUnexpectedBytes", "4096")
                .daemonKnob("zbmi.maxExpectedBytes", "1m")
                .startDaemon();
        Pair pair = Pair.in(world);
        assertThat(pair.client().getOption(pair.toServer(), Options.MAX_UNEXPECTED_BYTES))
                .isEqualTo(4096);
        assertThat(pair.server().getOption(Options.MAX_EXPECTED_BYTES)).isEqualTo(1L << 20);
        MemorySegment large = MemorySegment.ofArray(new byte[4097]);
        assertThat(pair.clientContext().postSendUnexpected(pair.toServer(), large, 1))
                .isEqualTo(ErrorCode.EMSGSIZE.negativeValue());
    }
}
