package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Loss, reconnection, cancel and deadlines, seen against plain sockets. */
@Timeout(60)
class LossTest {
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    private static final int EPIPE = ErrorCode.EPIPE.negativeValue();

    @Test
    void dataBeforeTheEndIsDelivered() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            raw.message(WireMode.EAGER, 7, 5000);
            raw.message(WireMode.RENDEZVOUS, 8, 100_000);
            raw.message(WireMode.UNEXPECTED, 9, 50);
            raw.close();
            PeerAddress peer = server.meet();
            UnexpectedMessages second = server.unexpected();
            assertThat(second.tag(0)).isEqualTo(9);
            second.free(0);
            server.drive(50);
            MemorySegment eight = server.buffer(100_000);
            MemorySegment seven = server.buffer(5000);
            assertThat(server.context.postReceive(peer, eight, 8)).isEqualTo(100_000);
            assertThat(server.context.postReceive(peer, seven, 7)).isEqualTo(5000);
            TcpBench.expectPattern(eight, 100_000, 8);
            TcpBench.expectPattern(seven, 5000, 7);
            long after = server.context.postReceive(peer, server.buffer(1), 7);
            assertThat(PostResult.isRefused(after)).isTrue();
            assertThat(server.counter("tcp.earlyHeldBytes")).isZero();
        }
    }

    @Test
    void resetBehindDataStillDeliversIt() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            MemorySegment in = server.buffer(100);
            long receive = server.context.postReceive(peer, in, 3);
            long other = server.context.postReceive(peer, server.buffer(1), 4);
            raw.message(WireMode.EAGER, 3, 100);
            raw.reset();
            assertThat(server.await(receive)).isEqualTo(100);
            assertThat(server.await(other))
                    .isIn((long) EPIPE, (long) ErrorCode.ECONNRESET.negativeValue());
        }
    }

    @Test
    void everyOperationIsToldOnceAndTheNextSendReconnects() throws IOException {
        try (TcpBench client = TcpBench.client()) {
            ServerSocket listener = client.rawServer(0);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            long first = client.context.postSendUnexpected(peer, client.pattern(4, 1), 1);
            Socket one = client.keep(listener.accept());
            assertThat(client.await(first)).isEqualTo(4);
            long[] receives = new long[5];
            for (int i = 0; i < receives.length; i++) {
                receives[i] = client.context.postReceive(peer, client.buffer(10), i);
            }
            one.close();
            for (long receive : receives) {
                assertThat(client.await(receive)).isEqualTo(EPIPE);
            }
            MemorySegment in = client.buffer(10);
            long again = client.context.postReceive(peer, in, 5);
            long send = client.context.postSend(peer, client.pattern(4, 1), 1);
            RawPeer two = client.keep(new RawPeer(listener.accept()));
            two.message(WireMode.EAGER, 5, 10);
            assertThat(client.await(again)).isEqualTo(10);
            TcpBench.expectPattern(in, 10, 5);
            if (PostResult.isPending(send)) {
                assertThat(client.await(send)).isEqualTo(4);
            }
        }
    }

    @Test
    void refusedConnection() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (SocketChannel nobody = SocketChannel.open().bind(any); // it does not listen
                TcpBench client = TcpBench.client()) {
            int port = ((InetSocketAddress) nobody.getLocalAddress()).getPort();
            PeerAddress peer = client.lookup(port);
            long receive = client.context.postReceive(peer, client.buffer(1), 1);
            long send = client.context.postSend(peer, client.buffer(1), 1);
            int refused = ErrorCode.ECONNREFUSED.negativeValue();
            assertThat(client.await(send)).isEqualTo(refused);
            assertThat(client.await(receive)).isEqualTo(refused);
        }
    }

    @Test
    void namesAreAskedOfTheResolver() throws IOException {
        TcpResolver resolver =
                (host, port) -> {
                    if (host.equals("nowhere")) {
                        throw new UnknownHostException(host);
                    }
                    return List.of(new InetSocketAddress("127.0.0.1", port == 1 ? 1 : port));
                };
        try (TcpBench client =
                TcpBench.of(TcpBench.builder().attach(TcpResolver.class, resolver))) {
            PeerAddress nowhere = client.bmi.lookup("tcp://nowhere:5");
            long send = client.context.postSend(nowhere, client.buffer(1), 1);
            assertThat(client.await(send)).isEqualTo(ErrorCode.EHOSTNTFD.negativeValue());
            ServerSocket listener = client.rawServer(0);
            PeerAddress both =
                    client.bmi.lookup("tcp://one:1,tcp://two:" + listener.getLocalPort());
            long sent = client.context.postSend(both, client.buffer(1), 1);
            assertThat(client.await(sent)).isEqualTo(1);
            client.keep(listener.accept());
        }
    }

    @Test
    void slowResolverHoldsUpNobodyElse() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        TcpResolver resolver =
                (host, port) -> {
                    try {
                        if (host.equals("slow")) {
                            assertThat(never.await(20, TimeUnit.SECONDS)).isTrue();
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return List.of(new InetSocketAddress("127.0.0.1", port));
                };
        try (TcpBench client =
                TcpBench.of(
                        TcpBench.builder("tcp.connectTimeoutMs", "700")
                                .attach(TcpResolver.class, resolver))) {
            ServerSocket listener = client.rawServer(0);
            PeerAddress slow = client.bmi.lookup("tcp://slow:5");
            PeerAddress quick = client.bmi.lookup("tcp://quick:" + listener.getLocalPort());
            long waits = client.context.postSend(slow, client.buffer(1), 1);
            long behind = client.context.postReceive(slow, client.buffer(1), 1);
            long sent = client.context.postSend(quick, client.buffer(1), 1);
            assertThat(client.await(sent)).isEqualTo(1);
            client.keep(listener.accept());
            int code = ErrorCode.ETRYAGAIN.negativeValue();
            assertThat(client.await(waits)).isEqualTo(code);
            assertThat(client.await(behind)).isEqualTo(code);
        } finally {
            never.countDown();
        }
    }

    @Test
    void cancelOfReceiveInTransferHarmsNobody() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            MemorySegment big = server.buffer(200_000);
            long receive = server.context.postReceive(peer, big, 5);
            long next = server.context.postReceive(peer, server.buffer(10), 6);
            byte[] payload = RawPeer.payload(200_000, 5);
            raw.send(WireMode.RENDEZVOUS, 5, 0, 200_000, 0, new byte[0]);
            raw.bytes(payload, 100_000);
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return big.get(ValueLayout.JAVA_BYTE, 99_999) == payload[99_999];
                    },
                    "half of it is there");
            assertThat(server.context.cancel(receive)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(server.await(receive)).isEqualTo(ECANCEL);
            big.fill((byte) 1);
            raw.bytes(Arrays.copyOfRange(payload, 100_000, 200_000), 100_000);
            raw.message(WireMode.EAGER, 6, 10);
            assertThat(server.await(next)).isEqualTo(10);
            assertThat(big.asSlice(100_000).mismatch(server.buffer(100_000).fill((byte) 1)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void cancelOfSendsToOneThatDoesNotRead() throws Exception {
        try (TcpBench client = TcpBench.client("tcp.sendBufferBytes", "65536")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            MemorySegment big = client.pattern(8 << 20, 2);
            long moving = client.context.postSend(peer, big, 2);
            RawPeer raw = client.keep(new RawPeer(listener.accept()));
            client.drive(100);
            long queued = client.context.postSend(peer, client.pattern(10, 3), 3);
            long last = client.context.postSend(peer, client.pattern(10, 4), 4);
            assertThat(client.context.cancel(queued)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(client.await(queued)).isEqualTo(ECANCEL);
            assertThat(client.context.cancel(moving)).isEqualTo(CancelOutcome.REQUESTED);
            assertThat(client.await(moving)).isEqualTo(8 << 20);
            big.fill((byte) 0); // it is the program's again, and the message is not harmed
            Thread reader =
                    new Thread(
                            () -> {
                                try {
                                    raw.read(25);
                                    byte[] payload = raw.read(8 << 20);
                                    MemorySegment all = MemorySegment.ofArray(payload);
                                    TcpBench.expectPattern(all, 8 << 20, 2);
                                    byte[] header = raw.read(25);
                                    received = header[8];
                                } catch (IOException | AssertionError e) {
                                    received = -1;
                                }
                            },
                            "reader");
            reader.start();
            assertThat(client.await(last)).isEqualTo(10);
            reader.join(20_000);
            assertThat(received).isEqualTo(4);
        }
    }

    private volatile int received;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendOverAConnectionThatIsCutIsNoSuccess(boolean isDrop) throws IOException {
        try (TcpBench client = TcpBench.client("tcp.sendBufferBytes", "65536")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            long moving = client.context.postSend(peer, client.buffer(8 << 20), 2);
            RawPeer raw = client.keep(new RawPeer(listener.accept()));
            TcpBench.eventually(
                    () -> {
                        client.drive(1);
                        return client.counter("tcp.writes") > 0;
                    },
                    "a part of it is written");
            long queued = client.context.postSend(peer, client.buffer(10), 3);
            if (isDrop) {
                peer.drop();
            } else {
                client.bmi.setOption(TcpOptions.FORCEFUL_CANCEL, true);
                assertThat(client.context.cancel(moving)).isEqualTo(CancelOutcome.REQUESTED);
            }
            assertThat(client.await(moving)).isEqualTo(ECANCEL);
            assertThat(client.await(queued)).isEqualTo(ECANCEL);
            assertThat(raw.read(25 + (8 << 20))).hasSizeLessThan(8 << 20);
        }
    }

    @Test
    void deadlineOfSendToOneThatDoesNotRead() throws IOException {
        try (TcpBench client = TcpBench.client("tcp.sendBufferBytes", "65536")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            client.connected(listener, peer);
            PostOptions soon = PostOptions.NONE.withDeadlineMs(300);
            long moving = client.send(peer, client.buffer(8 << 20), 2, soon);
            long queued = client.send(peer, client.buffer(10), 3, soon);
            assertThat(client.await(moving)).isEqualTo(8 << 20); // what is left is taken over
            assertThat(client.await(queued)).isEqualTo(ErrorCode.ETIMEDOUT.negativeValue());
        }
    }

    @Test
    void standstillEndsTheConnection() throws IOException {
        try (TcpBench client =
                TcpBench.client("tcp.sendBufferBytes", "65536", "tcp.stallTimeoutMs", "400")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            long moving = client.context.postSend(peer, client.buffer(8 << 20), 2);
            client.keep(listener.accept());
            assertThat(client.await(moving)).isEqualTo(ErrorCode.ETIMEDOUT.negativeValue());
        }
    }

    @Test
    void resetIsToldToSendsAndReceivesAlike() throws IOException {
        int reset = ErrorCode.ECONNRESET.negativeValue();
        for (int round = 0; round < 20; round++) {
            try (TcpBench server = TcpBench.server("tcp.sendBufferBytes", "65536")) {
                RawPeer raw = server.raw();
                raw.hello();
                PeerAddress peer = server.meet();
                long receive = server.context.postReceive(peer, server.buffer(10), 5);
                boolean isBlocked = round % 2 == 0;
                if (isBlocked) {
                    server.context.postSend(peer, server.buffer(8 << 20), 6);
                    server.drive(5);
                }
                raw.reset();
                // Here the post may meet the reset first, above it is the lead.
                long send = server.context.postSend(peer, server.buffer(10), 7);
                assertThat(PostResult.isPending(send) ? server.await(send) : send)
                        .isIn((long) reset, isBlocked ? reset : 10L);
                assertThat(server.await(receive)).isEqualTo(reset);
            }
        }
    }

    @Test
    void receiveTooSmall() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            long small = server.context.postReceive(peer, server.buffer(10), 5);
            raw.message(WireMode.EAGER, 5, 1000);
            assertThat(server.await(small)).isEqualTo(ErrorCode.EMSGSIZE.negativeValue());
            raw.message(WireMode.EAGER, 6, 1000);
            raw.message(WireMode.EAGER, 7, 10);
            long next = server.context.postReceive(peer, server.buffer(10), 7);
            if (PostResult.isPending(next)) {
                assertThat(server.await(next)).isEqualTo(10);
            }
            long tooSmall = server.context.postReceive(peer, server.buffer(999), 6);
            assertThat(tooSmall).isEqualTo(ErrorCode.EPROTO.negativeValue());
            assertThat(server.context.postReceive(peer, server.buffer(1000), 6)).isEqualTo(1000);
        }
    }

    @Test
    void forcefulCancelAndCloseSocket() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            server.bmi.setOption(TcpOptions.FORCEFUL_CANCEL, true);
            long one = server.context.postReceive(peer, server.buffer(10), 5);
            long two = server.context.postReceive(peer, server.buffer(10), 6);
            server.context.cancel(one);
            assertThat(server.await(one)).isEqualTo(ECANCEL);
            assertThat(server.await(two)).isEqualTo(ECANCEL);
            assertThat(raw.isClosed()).isTrue();
            server.bmi.setOption(TcpOptions.FORCEFUL_CANCEL, false);
            RawPeer other = server.raw();
            other.hello();
            PeerAddress otherPeer = server.meet();
            long three = server.context.postReceive(otherPeer, server.buffer(10), 5);
            otherPeer.drop();
            assertThat(server.await(three)).isEqualTo(ECANCEL);
            assertThat(other.isClosed()).isTrue();
            long refused = server.context.postSend(otherPeer, server.buffer(1), 1);
            assertThat(refused).isEqualTo(ErrorCode.EPROTO.negativeValue());
        }
    }

    @Test
    void deadlineWithForcefulCancelEndsItsOwnReceiveOnly() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            server.bmi.setOption(TcpOptions.FORCEFUL_CANCEL, true);
            PostOptions soon = PostOptions.NONE.withDeadlineMs(50);
            long ends = server.context.postReceive(peer, server.buffer(10), 5, null, soon);
            MemorySegment in = server.buffer(10);
            long stays = server.context.postReceive(peer, in, 6);
            assertThat(server.await(ends)).isEqualTo(ErrorCode.ETIMEDOUT.negativeValue());
            raw.message(WireMode.EAGER, 6, 10);
            assertThat(server.await(stays)).isEqualTo(10);
            TcpBench.expectPattern(in, 10, 6);
        }
    }

    @Test
    void closedClientReconnectsAfterCloseSocket() throws IOException {
        try (TcpBench client = TcpBench.client()) {
            ServerSocket listener = client.rawServer(0);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            assertThat(client.await(client.context.postSend(peer, client.buffer(1), 1)))
                    .isEqualTo(1);
            RawPeer one = client.keep(new RawPeer(listener.accept()));
            one.read(26);
            peer.drop();
            client.drive(20);
            assertThat(one.isClosed()).isTrue();
            PeerAddress fresh = client.lookup(listener.getLocalPort());
            assertThat(fresh.id()).isNotEqualTo(peer.id());
            assertThat(client.await(client.context.postSend(fresh, client.buffer(1), 1)))
                    .isEqualTo(1);
            client.keep(listener.accept());
        }
    }
}
