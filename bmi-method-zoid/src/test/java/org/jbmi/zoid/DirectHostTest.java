package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Servers that host the engine themselves, with a daemon that lends the memory and without one. */
@Timeout(90)
class DirectHostTest {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int CLOSED = ErrorCode.EPIPE.negativeValue();

    private ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private void begin(String host) {
        world.close();
        world = new ZoidWorld(host);
        if (host.equals("direct")) {
            world.startDaemon();
        }
    }

    private static int errorOf(CompletionContext context, long id) {
        Completions done = Completions.ofCapacity(1);
        assertThat(context.test(id, done, 20_000)).isEqualTo(1);
        return done.outcome(0).negativeValue();
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void messagesOfAllSizesGoBothWays(String host) {
        begin(host);
        Pair pair = Pair.in(world);
        for (int bytes : new int[] {0, 1, 64, 1000, 1025, 70_000, 1 << 20}) {
            pair.exchange(3, bytes);
        }
        assertThat(world.count(pair.server(), "zoid.server.copies")).isZero();
    }

    /** One that may wait does so for as long as the knob says. */
    @ParameterizedTest
    @ValueSource(strings = {"embedded", "daemon"})
    @Timeout(45)
    void aPostThatNeverWaitsLeavesAClientThatStandsStillToItself(String host) throws Exception {
        world.close();
        world = new ZoidWorld(host);
        world.daemonKnob("zbmi.immediateWaitMs", "60000");
        if (host.equals("daemon")) {
            world.startDaemon();
        }
        Bmi server = world.keep(world.serverBuilder().knob("zoid.callTimeoutMs", "60000").open());
        CompletionContext context = server.openContext();
        try (Children.Child client = Children.start("waiter", world)) {
            client.says("pending");
            PeerAddress peer = Pair.meet(server);
            ZoidWorld.await("it waits", 20_000, () -> world.hostCount("zbmi.calls.test") > 0);
            client.signal("STOP");
            long send =
                    context.postSend(
                            peer,
                            MemorySegment.ofArray(new byte[Children.LONG]),
                            Children.TAG,
                            null,
                            PostOptions.NONE.withoutWaiting());
            assertThat(PostResult.isPending(send)).isTrue();
            client.signal("CONT");
            assertThat(context.await(send, 20_000)).isEqualTo(Children.LONG);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void whatIsLeftIsNothing(String host) {
        begin(host);
        try (Bmi server = world.serverBuilder().open()) {
            assertThat(names(world.runtime())).contains("daemon.sock", "counters");
            assertThat(server.isClosed()).isFalse();
        }
        if (host.equals("direct")) {
            ZoidWorld.await(
                    "the daemon has taken its memory back",
                    10_000,
                    () ->
                            names(world.directory()).size() == 2
                                    && !names(world.runtime()).contains("server.counters"));
            world.stopDaemon();
        }
        assertThat(names(world.runtime())).containsExactly("daemon.lock");
        assertThat(names(world.directory())).containsExactly("run");
    }

    /** Its keeper ends at once, and is no transfer under way. */
    @ParameterizedTest
    @ValueSource(strings = {"zoid.closeTimeoutMs", "bmi.closeWaitMs"})
    void aCloseThatMayNotWaitForTransfersLeavesNothingEither(String knob) {
        begin("embedded");
        for (int i = 0; i < 50; i++) {
            world.serverBuilder().knob(knob, "0").open().close();
            assertThat(names(world.runtime())).containsExactly("daemon.lock");
            assertThat(names(world.directory())).containsExactly("run");
        }
    }

    @Test
    void aCloseWithManyPendingOperationsNeedsLittleStack() throws Exception {
        begin("embedded");
        Pair pair = Pair.in(world);
        MemorySegment block = MemorySegment.ofArray(new byte[8]);
        for (int i = 0; i < 20_000; i++) {
            pair.serverContext().postReceive(pair.toClient(), block, 1000 + i);
        }
        List<Throwable> thrown = new ArrayList<>();
        Thread closer = new Thread(null, () -> pair.server().close(), "closer", 256 << 10);
        closer.setUncaughtExceptionHandler((thread, e) -> thrown.add(e));
        closer.start();
        closer.join();
        assertThat(thrown).isEmpty();
        assertThat(pair.server().isClosed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void aSecondServerIsToldSo(String host) {
        begin(host);
        Pair pair = Pair.in(world);
        for (String other : List.of(host, "auto")) {
            assertThatThrownBy(() -> world.serverBuilder().knob("zoid.host", other).open())
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                    .extracting(e -> ((BmiException) e).code())
                    .isEqualTo(ErrorCode.EBUSY);
        }
        pair.exchange(1, 1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void aServerThatEndsEndsWhatItsClientsWaitForAndTheyFindTheNext(String host) {
        begin(host);
        Bmi client = world.client();
        Bmi first = world.serverBuilder().open();
        Pair pair = Pair.of(first, first.openContext(), client);
        MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, 9);
        long never = pair.clientContext().postSend(pair.toServer(), buffer, 8);
        first.close();
        assertThat(errorOf(pair.clientContext(), receive)).isEqualTo(CLOSED);
        assertThat(errorOf(pair.clientContext(), never)).isEqualTo(CLOSED);
        expectNobody(pair, pair.clientContext().postReceive(pair.toServer(), buffer, 9));
        meetsTheNext(pair.clientContext(), pair.toServer(), client);
    }

    // A post is refused, or ends when its client hears of the end. One that has found the daemon by
    // then, which has its memory back, waits there for the next server.
    private void expectNobody(Pair pair, long posted) {
        if (PostResult.isRefused(posted)) {
            assertThat(posted).isEqualTo(CLOSED);
            return;
        }
        Completions done = Completions.ofCapacity(1);
        boolean isWaiting = false;
        while (!isWaiting && pair.clientContext().test(posted, done, 100) == 0) {
            isWaiting = world.count(pair.client(), "zoid.client.attachments") > 1;
        }
        assertThat(isWaiting || done.outcome(0) == ErrorCode.EPIPE).isTrue();
    }

    // The memory of a server that was killed comes back when its process is proved gone.
    private void meetsTheNext(CompletionContext context, PeerAddress toServer, Bmi client) {
        Bmi[] next = new Bmi[1];
        ZoidWorld.await(
                "the next server is taken",
                20_000,
                () -> {
                    try {
                        next[0] = world.server();
                        return true;
                    } catch (BmiException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.EBUSY);
                        return false;
                    }
                });
        MemorySegment hello = MemorySegment.ofArray(new byte[8]);
        ZoidWorld.await(
                "the client attaches again",
                20_000,
                () -> Pair.isSent(context, context.postSendUnexpected(toServer, hello, 9)));
        new Pair(next[0], next[0].openContext(), Pair.meet(next[0]), client, context, toServer)
                .exchange(4, 100_000);
    }

    @Test
    void whatComesWhileTheServerStartsIsNotLost() throws Exception {
        begin("embedded");
        Bmi client = world.client();
        CompletionContext context = client.openContext();
        CompletableFuture<Long> sent =
                CompletableFuture.supplyAsync(
                        () -> {
                            PeerAddress toServer = client.lookup("zoid://");
                            MemorySegment hello = MemorySegment.ofArray(new byte[8]);
                            return context.postSendUnexpected(toServer, hello, 7);
                        });
        Bmi server = world.keep(world.knobs(Bmi.builder()).listen("slowstart://").open());
        assertThat(context.await(sent.get(20, TimeUnit.SECONDS), 10_000)).isEqualTo(8);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        assertThat(server.testUnexpected(messages, 10_000)).isEqualTo(1);
        assertThat(messages.tag(0)).isEqualTo(7);
        messages.free(0);
        assertThat(world.count(server, "zoid.server.protocolErrors")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void aServerKilledIsSweptAndItsClientsGoOn(String host) throws Exception {
        begin(host);
        Bmi client = world.client();
        CompletionContext context = client.openContext();
        PeerAddress toServer;
        try (Children.Child server = Children.start("server", world)) {
            server.says("ready");
            toServer = client.lookup("zoid://");
            MemorySegment buffer = MemorySegment.ofArray(new byte[2000]);
            context.await(context.postSendUnexpected(toServer, buffer, 1), 10_000);
            server.says("met");
            long receive = context.postReceive(toServer, buffer, 77);
            server.kill();
            assertThat(errorOf(context, receive)).isEqualTo(HOST_DOWN);
        }
        meetsTheNext(context, toServer, client);
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void aClientKilledInTheMiddleOfATransferHurtsNobodyElse(String host) throws Exception {
        begin(host);
        Pair pair = Pair.in(world);
        try (Children.Child mover = Children.start("mover", world)) {
            mover.says("hello");
            PeerAddress dying = Pair.meet(pair.server());
            MemorySegment block = dying.allocate(Children.BYTES);
            long receive = pair.serverContext().postReceive(dying, block, Children.TAG);
            mover.says("claimed");
            pair.exchange(7, 100_000);
            mover.kill();
            assertThat(errorOf(pair.serverContext(), receive)).isEqualTo(HOST_DOWN);
            pair.server().free(block);
            pair.exchange(8, 100_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill", "close"})
    void aServerEndsWithTheDaemonThatLends(String how) throws Exception {
        world.close();
        world = new ZoidWorld("direct");
        try (Children.Child daemon = Children.start("daemon", world)) {
            daemon.says("daemon.sock");
            Pair pair = Pair.in(world);
            pair.exchange(5, 100_000);
            MemorySegment block = pair.toClient().allocate(1000);
            long serverReceive = pair.serverContext().postReceive(pair.toClient(), block, 5);
            MemorySegment buffer = MemorySegment.ofArray(new byte[1000]);
            long receive = pair.clientContext().postReceive(pair.toServer(), buffer, 6);
            if (how.equals("kill")) {
                daemon.kill();
            } else {
                daemon.process().getOutputStream().close();
            }
            assertThat(errorOf(pair.serverContext(), serverReceive)).isEqualTo(HOST_DOWN);
            assertThat(errorOf(pair.clientContext(), receive)).isEqualTo(HOST_DOWN);
            assertThat(block.fill((byte) 1).byteSize()).isEqualTo(1000);
            pair.server().free(block);
            pair.server().close();
            daemon.process().waitFor();
        }
        world.startDaemon();
        Bmi client = world.client();
        Bmi next = world.server();
        Pair.of(next, next.openContext(), client).exchange(1, 5000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void virtualThreadsWaitInNumbersAndHoldNoCarrier(String host) throws Exception {
        begin(host);
        Pair pair = Pair.in(world);
        int waiters = 64;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> waiting = new ArrayList<>();
            for (int tag = 0; tag < waiters; tag++) {
                MemorySegment in = MemorySegment.ofArray(new byte[10]);
                long receive = pair.serverContext().postReceive(pair.toClient(), in, tag);
                waiting.add(threads.submit(() -> pair.serverContext().await(receive, 60_000)));
            }
            // Somebody else gets a carrier while all of them wait.
            assertThat(threads.submit(() -> 1).get(10, TimeUnit.SECONDS)).isEqualTo(1);
            MemorySegment out = MemorySegment.ofArray(new byte[10]);
            for (int tag = 0; tag < waiters; tag++) {
                long send = pair.clientContext().postSend(pair.toServer(), out, tag);
                assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(10);
            }
            for (Future<Long> waiter : waiting) {
                assertThat(waiter.get(10, TimeUnit.SECONDS)).isEqualTo(10);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    void interruptAndCloseWakeEveryWaiter(String host) throws Exception {
        begin(host);
        Pair pair = Pair.in(world);
        Thread[] interrupted = new Thread[4];
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (int i = 0; i < interrupted.length; i++) {
            MemorySegment in = MemorySegment.ofArray(new byte[10]);
            long receive = pair.serverContext().postReceive(pair.toClient(), in, i);
            CompletableFuture<Boolean> end = new CompletableFuture<>();
            ends.add(end);
            Runnable body =
                    () -> {
                        pair.serverContext().test(receive, Completions.ofCapacity(1), 60_000);
                        end.complete(true);
                    };
            interrupted[i] =
                    i % 2 == 0 ? Thread.ofPlatform().start(body) : Thread.ofVirtual().start(body);
            ZoidWorld.awaitWaiting(interrupted[i]);
        }
        FutureTask<Integer> closed =
                new FutureTask<>(
                        () ->
                                pair.server()
                                        .testUnexpected(UnexpectedMessages.ofCapacity(1), 60_000));
        ZoidWorld.awaitWaiting(Thread.ofPlatform().daemon().start(closed));
        for (Thread thread : interrupted) {
            thread.interrupt();
        }
        for (CompletableFuture<Boolean> end : ends) {
            end.get(20, TimeUnit.SECONDS);
        }
        assertThat(closed).isNotDone();
        pair.server().close();
        closed.get(20, TimeUnit.SECONDS);
    }

    @Test
    void serversThatComeAndGoCostTheDaemonNoSessionOfTheClientsThatStay() {
        begin("daemon");
        world.daemonKnob("zbmi.maxClients", "3").startDaemon();
        Bmi waiting = world.client();
        Bmi posting = world.client();
        try (CompletionContext one = waiting.openContext();
                CompletionContext other = posting.openContext()) {
            PeerAddress first = waiting.lookup("zoid://");
            PeerAddress second = posting.lookup("zoid://");
            for (int i = 0; i < 8; i++) {
                long seen = await(one, first);
                long kept = await(other, second);
                try (Bmi server = world.serverBuilder().knob("zoid.host", "direct").open()) {
                    assertThat(server.isClosed()).isFalse();
                    assertThat(errorOf(one, seen)).isEqualTo(HOST_DOWN);
                    assertThat(errorOf(other, kept)).isEqualTo(HOST_DOWN);
                }
                int round = i;
                ZoidWorld.await(
                        "the daemon has its memory back in round " + round,
                        10_000,
                        () -> !Files.exists(world.runtime().resolve("server.counters")));
            }
            ZoidWorld.await(
                    "nothing is kept for those who have said goodbye",
                    10_000,
                    () -> world.daemonCount("zbmi.sessions.quarantined") == 0);
            try (Bmi fresh = world.builder().open()) {
                fresh.lookup("zoid://");
            }
        }
    }

    private static long await(CompletionContext context, PeerAddress peer) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        long id = -1;
        while (id <= 0 && System.nanoTime() - end < 0) {
            id = context.postReceive(peer, MemorySegment.ofArray(new byte[8]), 1);
        }
        assertThat(id).as("a receive is pending in the daemon").isPositive();
        return id;
    }
}
