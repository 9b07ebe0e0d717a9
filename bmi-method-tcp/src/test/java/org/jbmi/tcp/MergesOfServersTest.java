package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * A server that connected to us turns out to be one that was looked up, while messages to it are
 * under way: they keep their order.
 */
@Timeout(60)
class MergesOfServersTest {
    /** More than the two sockets take. */
    private static final int LARGE_BYTES = 12 << 20;

    private static final int TAG = 5;

    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch isKnown = new CountDownLatch(1);
    private final MemorySegment small = MemorySegment.ofArray(RawPeer.payload(10, TAG));

    private TcpBench server() {
        TcpResolver resolver =
                (host, port) -> {
                    asked.incrementAndGet();
                    try {
                        isKnown.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return List.of(new InetSocketAddress("127.0.0.1", port));
                };
        return TcpBench.of(
                TcpBench.builder("tcp.sendBufferBytes", "65536")
                        .attach(TcpResolver.class, resolver)
                        .listen("tcp://127.0.0.1:0")
                        .knob("tcp.bindSpecific", "true"));
    }

    /** Reads the large message, and behind it the small ones that end meanwhile. */
    private static void expectInOrder(
            TcpBench server, RawPeer raw, long large, LongSupplier... small) throws Exception {
        FutureTask<Void> reader =
                new FutureTask<>(
                        () -> {
                            raw.expect(WireMode.RENDEZVOUS, TAG, LARGE_BYTES);
                            for (int i = 0; i < small.length; i++) {
                                raw.expect(WireMode.EAGER, TAG, 10);
                            }
                            return null;
                        });
        new Thread(reader, "reader").start();
        assertThat(server.await(large)).isEqualTo(LARGE_BYTES);
        for (LongSupplier each : small) {
            assertThat(each.getAsLong()).isEqualTo(10);
        }
        reader.get(20, TimeUnit.SECONDS);
    }

    @Test
    void whatIsQueuedStaysBehindWhatIsBegunWhileTheNameIsDialed() throws Exception {
        try (TcpBench server = server()) {
            String name = "tcp://named:" + server.rawServer(0).getLocalPort(); // it never accepts
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            PeerAddress own = server.meet();
            long large = server.context.postSend(own, server.pattern(LARGE_BYTES, TAG), TAG);
            long behind = server.context.postSend(own, small, TAG);
            PeerAddress named = server.bmi.lookup(name);
            raw.greet(name, 2);
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return asked.get() == 1;
                    },
                    "the connection waits for the name");
            long dialed = server.context.postSend(named, small, TAG);
            isKnown.countDown();
            assertThat(server.await(dialed)).isEqualTo(10);
            expectInOrder(server, raw, large, () -> server.await(behind));
        } finally {
            isKnown.countDown();
        }
    }

    @Test
    void whatIsPostedLaterStaysBehindWhatIsBegun() throws Exception {
        isKnown.countDown();
        try (TcpBench server = server()) {
            String name = "tcp://named:" + server.rawServer(0).getLocalPort();
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            PeerAddress own = server.meet();
            long large = server.context.postSend(own, server.pattern(LARGE_BYTES, TAG), TAG);
            PeerAddress named = server.bmi.lookup(name);
            long dialed = server.context.postSend(named, small, TAG);
            assertThat(server.await(dialed)).isEqualTo(10);
            raw.greet(name, 2);
            server.meet();
            long behind = server.context.postSend(own, small, TAG);
            expectInOrder(server, raw, large, () -> server.await(behind));
        }
    }

    @Test
    void receiveUnderTheNameGetsItsMessageWhenTheSendsHaveLeft() throws Exception {
        isKnown.countDown();
        try (TcpBench server = server()) {
            ServerSocket listener = server.rawServer(0);
            String name = "tcp://named:" + listener.getLocalPort();
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            PeerAddress own = server.meet();
            long large = server.context.postSend(own, server.pattern(LARGE_BYTES, TAG), TAG);
            long behind = server.context.postSend(own, small, TAG);
            PeerAddress named = server.bmi.lookup(name);
            long dialed = server.context.postSend(named, small, TAG);
            assertThat(server.await(dialed)).isEqualTo(10);
            MemorySegment in = server.buffer(10);
            long receive = server.context.postReceive(named, in, TAG);
            raw.send(WireMode.EAGER, TAG, SourceHash.of(name), 10, 0, RawPeer.payload(10, TAG));
            raw.greet(name, 2);
            assertThat(server.meet()).isEqualTo(own);
            expectInOrder(server, raw, large, () -> server.await(behind));
            assertThat(server.await(receive)).isEqualTo(10);
            TcpBench.expectPattern(in, 10, TAG);
            raw.greet(name, 3);
            assertThat(server.meet()).isEqualTo(named);
        }
    }

    /** Sends a small message, which may have left when its post returns. */
    private long sent(TcpBench server, PeerAddress to) {
        long posted = server.context.postSend(to, small, TAG);
        return PostResult.isPending(posted) ? server.await(posted) : posted;
    }

    @Test
    void sendsGoOnOverTheConnectionThatIsThereWhenTheOtherHasEnded() throws Exception {
        isKnown.countDown();
        try (TcpBench server = server()) {
            ServerSocket listener = server.rawServer(0);
            String name = "tcp://named:" + listener.getLocalPort();
            RawPeer raw = server.raw();
            raw.greet(name, 1);
            PeerAddress own = server.meet();
            long large = server.context.postSend(own, server.pattern(LARGE_BYTES, TAG), TAG);
            PeerAddress named = server.bmi.lookup(name);
            long dialed = server.context.postSend(named, small, TAG);
            assertThat(server.await(dialed)).isEqualTo(10);
            raw.greet(name, 2);
            server.meet();
            long receive = server.context.postReceive(named, server.buffer(10), TAG);
            listener.accept().close();
            listener.close();
            assertThat(server.await(receive)).isNegative();
            expectInOrder(server, raw, large, () -> sent(server, named), () -> sent(server, own));
        }
    }
}
