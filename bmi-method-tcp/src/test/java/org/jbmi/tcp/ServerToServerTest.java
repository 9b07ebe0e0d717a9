package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.jbmi.testsuite.support.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/** Servers that know each other share connections, and nobody else gets in between. */
@Timeout(60)
class ServerToServerTest {
    private static final String NAME = "tcp://127.0.0.1:";

    private static TcpBench named() {
        int port = FreePort.find();
        return TcpBench.of(TcpBench.builder().listen(NAME + port).knob("tcp.bindSpecific", "true"));
    }

    private static void finish(TcpBench bench, long result, long size) {
        if (PostResult.isPending(result)) {
            assertThat(bench.await(result)).isEqualTo(size);
        } else {
            assertThat(result).isEqualTo(size);
        }
    }

    private static void exchange(TcpBench a, PeerAddress toB, TcpBench b, PeerAddress toA, int tag)
            throws Exception {
        MemorySegment in = b.buffer(100);
        long receive = b.context.postReceive(toA, in, tag);
        long send = a.context.postSend(toB, a.pattern(100, tag), tag);
        TcpBench.eventually(
                () -> {
                    a.drive(1);
                    b.drive(1);
                    return !PostResult.isPending(receive) || !b.isPendingQuietly(receive);
                },
                "the message arrives");
        finish(a, send, 100);
        TcpBench.expectPattern(in, 100, tag);
    }

    @Test
    void lookedUpBeforeTrafficEachUsesItsOwnConnection() throws Exception {
        try (TcpBench a = named();
                TcpBench b = named()) {
            PeerAddress toB = a.lookup(b.port());
            PeerAddress toA = b.lookup(a.port());
            exchange(a, toB, b, toA, 1);
            exchange(b, toA, a, toB, 2);
            exchange(a, toB, b, toA, 3);
            assertThat(a.counter("tcp.accepted")).isEqualTo(1);
            assertThat(b.counter("tcp.accepted")).isEqualTo(1);
        }
    }

    @Test
    void lookedUpAfterTrafficOneConnectionServesBoth() throws Exception {
        try (TcpBench a = named();
                TcpBench b = named()) {
            PeerAddress toB = a.lookup(b.port());
            long hello = a.context.postSendUnexpected(toB, a.pattern(4, 1), 1);
            TcpBench.eventually(
                    () -> {
                        a.drive(1);
                        b.drive(1);
                        return b.counter("tcp.unexpectedAccepted") == 1;
                    },
                    "the first message arrives");
            finish(a, hello, 4);
            PeerAddress met = b.meet();
            PeerAddress toA = b.lookup(a.port());
            exchange(b, toA, a, toB, 2);
            exchange(b, met, a, toB, 3);
            exchange(a, toB, b, met, 4);
            exchange(a, toB, b, toA, 5);
            assertThat(a.counter("tcp.accepted")).isZero();
            assertThat(b.counter("tcp.accepted")).isEqualTo(1);
            long again = a.context.postSendUnexpected(toB, a.pattern(4, 1), 1);
            finish(a, again, 4);
            UnexpectedMessages messages = b.unexpected();
            assertThat(messages.peer(0)).isEqualTo(toA);
            messages.free(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void whatCameBeforeTheLookupIsFoundByReceives(String host) throws Exception {
        TcpResolver here =
                (asked, port) ->
                        List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        BmiBuilder builder =
                TcpBench.builder()
                        .attach(TcpResolver.class, here)
                        .listen("tcp://127.0.0.1:0")
                        .knob("tcp.bindSpecific", "true");
        try (TcpBench b = TcpBench.of(builder)) {
            ServerSocket asA = b.rawServer(0);
            String name = "tcp://" + host + ":" + asA.getLocalPort();
            int hash = SourceHash.of(name);
            RawPeer raw = b.raw();
            raw.send(WireMode.UNEXPECTED, 1, hash, 4, 0, RawPeer.payload(4, 1));
            raw.send(WireMode.EAGER, 5, hash, 100, 0, RawPeer.payload(100, 5));
            raw.send(WireMode.EAGER, 5, hash, 50, 0, RawPeer.payload(50, 5));
            PeerAddress met = b.meet();
            b.drive(20);
            PeerAddress toA = b.bmi.lookup(name);
            MemorySegment in = b.buffer(100);
            finish(b, b.context.postReceive(toA, in, 5), 100);
            TcpBench.expectPattern(in, 100, 5);
            finish(b, b.context.postReceive(toA, in, 5), 50);
            long later = b.context.postReceive(toA, in, 6);
            raw.send(WireMode.EAGER, 6, hash, 70, 0, RawPeer.payload(70, 6));
            finish(b, later, 70);
            TcpBench.expectPattern(in, 70, 6);
            finish(b, b.context.postSend(met, b.pattern(30, 7), 7), 30);
            raw.expect(WireMode.EAGER, 7, 30);
            assertThat(b.counter("tcp.connections")).isEqualTo(1);
        }
    }

    @Test
    void otherConnectionOfAServerMayGo() throws Exception {
        try (TcpBench b = TcpBench.server()) {
            ServerSocket asA = b.rawServer(0);
            String name = NAME + asA.getLocalPort();
            int hash = SourceHash.of(name);
            PeerAddress toA = b.bmi.lookup(name);
            long send = b.context.postSend(toA, b.pattern(10, 1), 1);
            RawPeer own = b.keep(new RawPeer(asA.accept()));
            finish(b, send, 10);
            own.read(35);
            for (int round = 0; round < 3; round++) {
                RawPeer other = b.raw();
                long receive = b.context.postReceive(toA, b.buffer(10), 2);
                other.send(WireMode.EAGER, 2, hash, 10, 0, RawPeer.payload(10, 2));
                finish(b, receive, 10);
                long stays = b.context.postReceive(toA, b.buffer(10), 3);
                other.close();
                b.drive(20);
                assertThat(b.isPendingQuietly(stays)).isTrue();
                own.send(WireMode.EAGER, 3, hash, 10, 0, RawPeer.payload(10, 3));
                finish(b, stays, 10);
            }
        }
    }

    @Test
    void largeMessageOfTheOtherConnectionGoesToItsReceive() throws Exception {
        try (TcpBench b = TcpBench.server("tcp.earlyBytes", "64k")) {
            ServerSocket asA = b.rawServer(0);
            String name = NAME + asA.getLocalPort();
            PeerAddress toA = b.bmi.lookup(name);
            RawPeer raw = b.raw();
            raw.send(
                    WireMode.RENDEZVOUS,
                    5,
                    SourceHash.of(name),
                    200_000,
                    0,
                    RawPeer.payload(200_000, 5));
            b.drive(100);
            MemorySegment in = b.buffer(200_000);
            finish(b, b.context.postReceive(toA, in, 5), 200_000);
            TcpBench.expectPattern(in, 200_000, 5);
        }
    }

    @Test
    void forgedNameFromElsewhereStaysAStranger() throws IOException {
        try (TcpBench b = TcpBench.server()) {
            String name = "tcp://192.0.2.7:4711"; // not where the forger comes from
            PeerAddress victim = b.bmi.lookup(name);
            MemorySegment in = b.buffer(10);
            long receive = b.context.postReceive(victim, in, 5);
            RawPeer forger = b.raw();
            int hash = SourceHash.of(name);
            forger.send(WireMode.UNEXPECTED, 1, hash, 4, 0, RawPeer.payload(4, 1));
            forger.send(WireMode.EAGER, 5, hash, 10, 0, RawPeer.payload(10, 5));
            UnexpectedMessages messages = b.unexpected();
            assertThat(messages.peer(0)).isNotEqualTo(victim);
            PeerAddress stranger = messages.peer(0);
            messages.free(0);
            finish(b, b.context.postReceive(stranger, b.buffer(10), 5), 10);
            assertThat(b.isPendingQuietly(receive)).isTrue();
        }
    }

    @Test
    void simultaneousFirstMessages() throws Exception {
        for (int round = 0; round < 20; round++) {
            try (TcpBench a = named();
                    TcpBench b = named()) {
                PeerAddress toB = a.lookup(b.port());
                PeerAddress toA = b.lookup(a.port());
                MemorySegment atA = a.buffer(10);
                MemorySegment atB = b.buffer(10);
                long receiveA = a.context.postReceive(toB, atA, 1);
                long receiveB = b.context.postReceive(toA, atB, 1);
                long sendA = a.context.postSend(toB, a.pattern(10, 1), 1);
                long sendB = b.context.postSend(toA, b.pattern(10, 1), 1);
                TcpBench.eventually(
                        () -> {
                            a.drive(1);
                            b.drive(1);
                            return !a.isPendingQuietly(receiveA) && !b.isPendingQuietly(receiveB);
                        },
                        "both arrive");
                finish(a, sendA, 10);
                finish(b, sendB, 10);
                TcpBench.expectPattern(atA, 10, 1);
                TcpBench.expectPattern(atB, 10, 1);
            }
        }
    }
}
