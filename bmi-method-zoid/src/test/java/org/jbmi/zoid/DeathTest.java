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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;

@Timeout(90)
class DeathTest {
    private static final int CLOSED = ErrorCode.EPIPE.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static int errorOf(CompletionContext context, long id) {
        Completions done = Completions.ofCapacity(1);
        assertThat(context.test(id, done, 20_000)).isEqualTo(1);
        return done.outcome(0).negativeValue();
    }

    @Test
    void aClientKilledInTheMiddleOfATransferHurtsNobodyElse() throws Exception {
        world.startDaemon();
        Pair pair = Pair.in(world);
        try (Children.Child mover = Children.start("mover", world)) {
            mover.says("hello");
            PeerAddress dying = Pair.meet(pair.server());
            MemorySegment block = dying.allocate(Children.BYTES);
            long receive = pair.serverContext().postReceive(dying, block, Children.TAG);
            long other = pair.serverContext().postReceive(dying, block, Children.TAG + 1);
            assertThat(PostResult.isPending(receive)).isTrue();
            mover.says("claimed");
            assertThat(pair.serverContext().cancel(receive)).isEqualTo(CancelOutcome.REQUESTED);
            pair.exchange(7, 100_000);
            mover.kill();
            assertThat(errorOf(pair.serverContext(), other)).isEqualTo(HOST_DOWN);
            assertThat(errorOf(pair.serverContext(), receive)).isEqualTo(HOST_DOWN);
            pair.server().free(block);
            assertThat(pair.serverContext().postReceive(dying, block, 1)).isEqualTo(HOST_DOWN);
            pair.exchange(8, 100_000);
            ZoidWorld.await(
                    "its session is free",
                    10_000,
                    () -> world.daemonCount("zbmi.sessions.quarantined") == 0);
        }
    }

    @Test
    void aBlockIsNotFreedWhileADyingClientMayWriteToIt() throws Exception {
        world.startDaemon();
        Pair pair = Pair.in(world);
        try (Children.Child mover = Children.start("mover", world)) {
            mover.says("hello");
            PeerAddress dying = Pair.meet(pair.server());
            MemorySegment block = dying.allocate(Children.BYTES);
            long receive = pair.serverContext().postReceive(dying, block, Children.TAG);
            mover.says("claimed");
            assertThatThrownBy(() -> pair.server().free(block))
                    .isInstanceOf(BmiException.class)
                    .extracting(e -> ((BmiException) e).code())
                    .isEqualTo(ErrorCode.EBUSY);
            mover.kill();
            assertThat(errorOf(pair.serverContext(), receive)).isEqualTo(HOST_DOWN);
            pair.server().free(block);
        }
    }

    @Test
    void aClientKilledWhileItWaits() throws Exception {
        world.startDaemon();
        Pair pair = Pair.in(world);
        try (Children.Child client = Children.start("client", world)) {
            PeerAddress dying = Pair.meet(pair.server());
            client.says("pending");
            MemorySegment foreign = MemorySegment.ofArray(new byte[1000]);
            long receive = pair.serverContext().postReceive(dying, foreign, 5);
            client.kill();
            assertThat(errorOf(pair.serverContext(), receive)).isEqualTo(HOST_DOWN);
            pair.exchange(8, 1000);
            assertThat(pair.serverContext().postSend(dying, foreign, 5)).isEqualTo(HOST_DOWN);
        }
    }

    @Test
    void aClientThatClosesIsNoDeath() {
        world.startDaemon();
        Pair pair = Pair.in(world);
        Bmi leaving = world.client();
        CompletionContext context = leaving.openContext();
        MemorySegment buffer = MemorySegment.ofArray(new byte[8]);
        context.await(context.postSendUnexpected(leaving.lookup("zoid://"), buffer, 1), 10_000);
        PeerAddress left = Pair.meet(pair.server());
        long receive = pair.serverContext().postReceive(left, buffer, 5);
        long send = pair.serverContext().postSend(left, buffer, 6);
        leaving.close();
        assertThat(errorOf(pair.serverContext(), receive)).isEqualTo(CLOSED);
        assertThat(errorOf(pair.serverContext(), send)).isEqualTo(CLOSED);
        assertThat(pair.serverContext().postSend(left, buffer, 5)).isEqualTo(CLOSED);
        pair.exchange(8, 1000);
    }

    @Test
    void aServerKilledEndsWhatItsClientsWaitFor() throws Exception {
        world.startDaemon();
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
            long send = context.postSend(toServer, buffer, 78);
            assertThat(PostResult.isPending(receive) && PostResult.isPending(send)).isTrue();
            server.kill();
            assertThat(errorOf(context, receive)).isEqualTo(HOST_DOWN);
            assertThat(errorOf(context, send)).isEqualTo(HOST_DOWN);
        }
        Bmi next = openServerSoon();
        Pair.of(next, next.openContext(), client).exchange(3, 5000);
    }

    // The daemon takes a new server when it is sure that the old one can write no more.
    private Bmi openServerSoon() {
        Bmi[] opened = new Bmi[1];
        ZoidWorld.await(
                "a new server is taken",
                10_000,
                () -> {
                    try {
                        opened[0] = world.server();
                        return true;
                    } catch (BmiException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.EBUSY);
                        return false;
                    }
                });
        return opened[0];
    }

    @Test
    void aDaemonKilledIsNoticedAndItsSuccessorIsFound() throws Exception {
        Bmi client;
        CompletionContext context;
        PeerAddress toServer;
        try (Children.Child daemon = Children.start("daemon", world)) {
            daemon.says("daemon.sock");
            Pair pair = Pair.in(world);
            client = pair.client();
            context = pair.clientContext();
            toServer = pair.toServer();
            pair.exchange(5, 100_000);
            MemorySegment block = pair.toClient().allocate(1000);
            long serverReceive = pair.serverContext().postReceive(pair.toClient(), block, 5);
            MemorySegment buffer = MemorySegment.ofArray(new byte[1000]);
            long clientReceive = context.postReceive(toServer, buffer, 6);
            daemon.kill();
            assertThat(errorOf(pair.serverContext(), serverReceive)).isEqualTo(HOST_DOWN);
            assertThat(errorOf(context, clientReceive)).isEqualTo(HOST_DOWN);
            assertThat(context.postReceive(toServer, buffer, 7)).isEqualTo(HOST_DOWN);
            assertThat(pair.serverContext().postReceive(pair.toClient(), block, 7))
                    .isEqualTo(HOST_DOWN);
            // What was handed out stays readable until the instance is closed.
            assertThat(block.fill((byte) 1).get(java.lang.foreign.ValueLayout.JAVA_BYTE, 999))
                    .isEqualTo((byte) 1);
            pair.server().free(block);
            Completions none = Completions.ofCapacity(1);
            assertThat(context.testContext(none, 200)).isZero();
            pair.server().close();
        }
        world.startDaemon();
        Bmi server = world.server();
        ZoidWorld.await(
                "the client attaches again",
                10_000,
                () -> {
                    MemorySegment hello = MemorySegment.ofArray(new byte[8]);
                    return Pair.isSent(context, context.postSendUnexpected(toServer, hello, 9));
                });
        PeerAddress toClient = Pair.meet(server);
        new Pair(server, server.openContext(), toClient, client, context, toServer)
                .exchange(4, 100_000);
    }

    @Test
    void aDaemonClosedWakesThoseWhoWait() throws Exception {
        world.startDaemon();
        Pair pair = Pair.in(world);
        MemorySegment buffer = MemorySegment.ofArray(new byte[10]);
        long receive = pair.clientContext().postReceive(pair.toServer(), buffer, 6);
        Thread closer = Thread.ofPlatform().start(world::stopDaemon);
        assertThat(errorOf(pair.clientContext(), receive)).isEqualTo(HOST_DOWN);
        closer.join();
    }
}
