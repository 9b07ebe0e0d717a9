package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Messages that nobody received do not keep their memory when a looked-up peer has gone. */
@Timeout(60)
class GonePeersTest {
    private PeerAddress peer;

    private RawPeer sendEarly(TcpBench client) throws IOException {
        ServerSocket listener = client.rawServer(0);
        peer = client.lookup(listener.getLocalPort());
        long sent = client.context.postSend(peer, client.buffer(1), 1);
        RawPeer raw = client.keep(new RawPeer(listener.accept()));
        assertThat(PostResult.isPending(sent) ? client.await(sent) : sent).isEqualTo(1);
        raw.message(WireMode.EAGER, 9, 5000);
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return client.counter("tcp.earlyHeldBytes") > 0;
                },
                "the message is held");
        return raw;
    }

    private static void expectDropped(TcpBench client) {
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return client.counter("tcp.earlyHeldBytes") == 0;
                },
                "the message is dropped");
        assertThat(client.counter("tcp.lostEarly")).isEqualTo(1);
    }

    @Test
    void dropOfALookedUpPeerFreesItsMessages() throws IOException {
        try (TcpBench client = TcpBench.client()) {
            sendEarly(client);
            peer.drop();
            expectDropped(client);
        }
    }

    @Test
    void messagesOfAGoneServerAreKeptForATime() throws IOException {
        try (TcpBench client = TcpBench.client("tcp.earlyLingerMs", "100")) {
            sendEarly(client).close();
            expectDropped(client);
        }
    }

    @Test
    void messagesOfAGoneServerAreDroppedAlsoIfItWasBeingDialed() throws IOException {
        CountDownLatch mayFail = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        TcpResolver resolver =
                (host, port) -> {
                    if (host.equals("named") && asked.getAndIncrement() > 0) {
                        awaitQuietly(mayFail);
                        throw new UnknownHostException(host);
                    }
                    return List.of(new InetSocketAddress("127.0.0.1", port));
                };
        BmiBuilder builder =
                TcpBench.builder("tcp.earlyLingerMs", "100", "tcp.bindSpecific", "true")
                        .attach(TcpResolver.class, resolver)
                        .listen("tcp://127.0.0.1:0");
        try (TcpBench server = TcpBench.of(builder)) {
            String name = "tcp://named:5";
            PeerAddress named = server.bmi.lookup(name);
            RawPeer raw = server.raw();
            raw.send(WireMode.EAGER, 9, SourceHash.of(name), 50, 0, RawPeer.payload(50, 9));
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.earlyHeldBytes") > 0;
                    },
                    "the message is held");
            long sent = server.context.postSend(named, server.buffer(1), 1);
            raw.close();
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.connections") == 0;
                    },
                    "the connection has ended");
            mayFail.countDown();
            assertThat(server.await(sent)).isEqualTo(ErrorCode.EHOSTNTFD.negativeValue());
            expectDropped(server);
        } finally {
            mayFail.countDown();
        }
    }

    @Test
    void aPeerThatHoldsItsShareDropsNoMessagesOfGonePeers() throws IOException {
        try (TcpBench server = TcpBench.server("tcp.earlyPeerBytes", "64k")) {
            RawPeer gone = server.raw();
            gone.hello();
            peer = server.meet();
            gone.message(WireMode.EAGER, 9, 5000);
            gone.close();
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.connections") == 0;
                    },
                    "the connection has ended");
            RawPeer greedy = server.raw();
            for (int i = 0; i < 5; i++) {
                greedy.message(WireMode.EAGER, i, 16_000);
            }
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.stalls") == 1;
                    },
                    "the other peer holds its share");
            assertThat(server.counter("tcp.lostEarly")).isZero();
            long received = server.context.postReceive(peer, server.buffer(5000), 9);
            assertThat(PostResult.isPending(received) ? server.await(received) : received)
                    .isEqualTo(5000);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
