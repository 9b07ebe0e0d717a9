package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A name that the name service gives late, not at once, or not at all. */
@Timeout(60)
class NamesOfServersTest {
    /** More than the memory for early messages. */
    private static final int WAITING_BYTES = 100_000;

    private static BmiBuilder builder(TcpResolver resolver, String... knobs) {
        return TcpBench.builder(knobs)
                .attach(TcpResolver.class, resolver)
                .listen("tcp://127.0.0.1:0")
                .knob("tcp.bindSpecific", "true");
    }

    private static List<InetSocketAddress> here(int port) {
        return List.of(new InetSocketAddress("127.0.0.1", port));
    }

    /** Sends a message to a server, so that it is connected. */
    private static RawPeer dial(TcpBench server, PeerAddress to, ServerSocket listener)
            throws IOException {
        long sent = server.context.postSend(to, server.buffer(1), 1);
        assertThat(server.await(sent)).isEqualTo(1);
        return server.keep(new RawPeer(listener.accept()));
    }

    @Test
    void oneSlowNameTakesOneThreadAndALimitedTime() throws IOException {
        CountDownLatch isOver = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        TcpResolver resolver =
                (host, port) -> {
                    if (host.equals("slow")) {
                        asked.incrementAndGet();
                        try {
                            isOver.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                    return here(port);
                };
        try (TcpBench server = TcpBench.of(builder(resolver, "tcp.connectTimeoutMs", "3000"))) {
            String name = "tcp://slow:5";
            PeerAddress slow = server.bmi.lookup(name);
            for (int i = 0; i < 20; i++) {
                RawPeer raw = server.raw();
                raw.greet(name, 1);
            }
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.accepted") == 20;
                    },
                    "all are connected");
            server.drive(50);
            ServerSocket listener = server.rawServer(0);
            PeerAddress quick = server.bmi.lookup("tcp://quick:" + listener.getLocalPort());
            dial(server, quick, listener);
            for (int i = 0; i < 20; i++) {
                assertThat(server.meet()).isNotEqualTo(slow);
            }
            assertThat(asked).hasValue(1);
        } finally {
            isOver.countDown();
        }
    }

    @Test
    void serverIsKnownOnceItsNameIsResolved() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        TcpResolver resolver =
                (host, port) -> {
                    if (asked.getAndIncrement() == 0) {
                        throw new UnknownHostException(host);
                    }
                    return here(port);
                };
        try (TcpBench server = TcpBench.of(builder(resolver))) {
            ServerSocket listener = server.rawServer(0);
            String name = "tcp://named:" + listener.getLocalPort();
            PeerAddress named = server.bmi.lookup(name);
            int hash = SourceHash.of(name);
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            assertThat(server.meet()).isNotEqualTo(named);
            dial(server, named, listener);
            raw.greet(name, 2);
            UnexpectedMessages messages = server.unexpected();
            assertThat(messages.peer(0)).isEqualTo(named);
            messages.free(0);
            MemorySegment in = server.buffer(10);
            long receive = server.context.postReceive(named, in, 5);
            raw.send(WireMode.EAGER, 5, hash, 10, 0, RawPeer.payload(10, 5));
            assertThat(server.await(receive)).isEqualTo(10);
        }
    }

    @Test
    void errorInTheResolverEndsTheSend() throws IOException {
        TcpResolver resolver =
                (host, port) -> {
                    throw new AssertionError("a resolver with a fault");
                };
        try (TcpBench client =
                TcpBench.of(TcpBench.builder().attach(TcpResolver.class, resolver))) {
            PeerAddress named = client.bmi.lookup("tcp://named:5");
            long sent = client.context.postSend(named, client.buffer(1), 1);
            assertThat(client.await(sent)).isEqualTo(ErrorCode.ENORECVR.negativeValue());
        }
    }

    @Test
    void receiveOfAnAcceptedServerTakesTheMessageThatWaitsAtItsName() throws IOException {
        TcpResolver resolver = (host, port) -> here(port);
        try (TcpBench server =
                TcpBench.of(
                        builder(resolver, "tcp.earlyBytes", "64k", "tcp.earlyPeerBytes", "64k"))) {
            ServerSocket listener = server.rawServer(0);
            String name = "tcp://named:" + listener.getLocalPort();
            RawPeer accepted = server.raw();
            accepted.greet(name, 1);
            PeerAddress own = server.meet();
            MemorySegment in = server.buffer(WAITING_BYTES);
            long receive = server.context.postReceive(own, in, 5);
            PeerAddress named = server.bmi.lookup(name);
            RawPeer dialed = dial(server, named, listener);
            dialed.message(WireMode.RENDEZVOUS, 5, WAITING_BYTES);
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.stalls") == 1;
                    },
                    "the message waits");
            server.drive(20);
            // The receive ends before any memory is freed, which would make the message try again.
            accepted.greet(name, 2);
            assertThat(server.await(receive)).isEqualTo(WAITING_BYTES);
            assertThat(server.meet()).isEqualTo(named);
            TcpBench.expectPattern(in, WAITING_BYTES, 5);
        }
    }

    @Test
    void addressesStayWhenOneOfTheNamesCannotBeResolved() throws IOException {
        assertThat(staysKnown("first", "second")).isTrue();
    }

    @Test
    void anAddressGoesWhenItsNameHasAnotherWhateverTheOtherNames() throws IOException {
        assertThat(staysKnown("second", "second")).isFalse();
    }

    /**
     * Whether a server with two names is known by the address that one of them had at first.
     *
     * @param unresolved the name that is not resolved at first, and the one that is not later
     */
    private static boolean staysKnown(String... unresolved) throws IOException {
        AtomicInteger round = new AtomicInteger();
        // Connections to 0.0.0.0 stay on this host, but none comes from that address.
        TcpResolver resolver =
                (host, port) -> {
                    if (host.equals(unresolved[round.get()])) {
                        throw new UnknownHostException(host);
                    }
                    return round.get() == 0
                            ? here(port)
                            : List.of(new InetSocketAddress("0.0.0.0", port));
                };
        try (TcpBench server = TcpBench.of(builder(resolver))) {
            ServerSocket listener = server.rawServer(0);
            int port = listener.getLocalPort();
            String name = "tcp://first:" + port + ",tcp://second:" + port;
            PeerAddress named = server.bmi.lookup(name);
            server.raw().greet(name, 1);
            assertThat(server.meet()).isEqualTo(named);
            round.set(1);
            dial(server, named, listener);
            server.raw().greet(name, 1);
            return server.meet().equals(named);
        }
    }

    @Test
    void serverGoesToTheHandleThatIsLeftAfterADrop() throws Exception {
        BlockingQueue<Thread> resolvers = new LinkedBlockingQueue<>();
        TcpResolver resolver =
                (host, port) -> {
                    resolvers.add(Thread.currentThread());
                    return here(port);
                };
        try (TcpBench server = TcpBench.of(builder(resolver))) {
            String name = "tcp://named:1";
            PeerAddress dropped = server.bmi.lookup(name);
            PeerAddress alias = server.bmi.lookup(name + ",absent://x");
            dropped.drop();
            int hash = SourceHash.of(name);
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            server.meet();
            PeerAddress named = server.bmi.lookup(name);
            server.context.postReceive(alias, server.buffer(10), 5);
            resolvers.take().join();
            long receive = server.context.postReceive(named, server.buffer(10), 5);
            resolvers.take().join();
            raw.send(WireMode.EAGER, 5, hash, 10, 0, RawPeer.payload(10, 5));
            assertThat(server.await(receive)).isEqualTo(10);
        }
    }
}
