package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.FutureTask;

/** Senders that know no measure, and receivers that are slow: nothing is lost, nothing grows. */
@Timeout(200)
class FloodTest {
    private static final int COUNT = 1_000_000;

    @Test
    void aMillionUnexpectedMessages() throws Exception {
        try (TcpBench server =
                        TcpBench.server(
                                "tcp.unexpectedBytes", "2m", "tcp.unexpectedPeerBytes", "1m");
                TcpBench client = TcpBench.client()) {
            PeerAddress peer = client.lookup(server.port());
            FutureTask<Long> flood = new FutureTask<>(() -> send(client, peer));
            Thread thread = new Thread(flood, "flood");
            thread.start();
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);
            int next = 0;
            long most = 0;
            while (next < COUNT) {
                int count = server.bmi.testUnexpected(messages, 1000);
                for (int i = 0; i < count; i++) {
                    assertThat(messages.tag(i)).isEqualTo(next);
                    int number = messages.payload(i).get(ValueLayout.JAVA_INT, 0);
                    assertThat(number).isEqualTo(next);
                    messages.free(i);
                    next++;
                }
                most = Math.max(most, server.counter("tcp.unexpectedHeldBytes"));
                if (next % 10_000 < 64 && next < 200_000) {
                    Thread.sleep(1); // slower than the sender
                }
            }
            assertThat(flood.get()).isEqualTo(COUNT);
            assertThat(most).isLessThanOrEqualTo(1 << 20);
            assertThat(server.counter("tcp.unexpectedHeldBytes")).isZero();
        }
    }

    /** Posts without looking at outcomes as long as there is room for operations. */
    private static long send(TcpBench client, PeerAddress peer) {
        int ring = 1 << 16;
        MemorySegment buffers = client.buffer(64L * ring);
        Completions done = Completions.ofCapacity(256);
        long ended = 0;
        long posted = 0;
        while (ended < COUNT) {
            if (posted < COUNT && posted - ended < ring) {
                MemorySegment buffer = buffers.asSlice(64 * (posted % ring), 64);
                buffer.set(ValueLayout.JAVA_INT, 0, (int) posted);
                long result = client.context.postSendUnexpected(peer, buffer, (int) posted);
                assertThat(result).isNotNegative();
                posted++;
                if (PostResult.isPending(result)) {
                    continue;
                }
                ended++;
            } else {
                int count = client.context.testContext(done, 1000);
                for (int i = 0; i < count; i++) {
                    assertThat(done.error(i)).isZero();
                }
                ended += count;
            }
        }
        return ended;
    }

    @Test
    void unmatchedLargeMessageStopsNoOtherTag() {
        try (TcpBench server = TcpBench.server();
                TcpBench client = TcpBench.client()) {
            PeerAddress peer = client.lookup(server.port());
            long hello = client.context.postSendUnexpected(peer, client.buffer(1), 0);
            PeerAddress back = meet(server, client);
            assertThat(client.await(hello)).isEqualTo(1);
            MemorySegment large = client.pattern(1 << 20, 1);
            long first = client.context.postSend(peer, large, 1);
            long second = client.context.postSend(peer, client.pattern(100, 2), 2);
            MemorySegment small = server.buffer(100);
            long receive = server.context.postReceive(back, small, 2);
            TcpBench.eventually(
                    () -> {
                        client.drive(1);
                        return PostResult.isCompleted(receive) || !server.isPendingQuietly(receive);
                    },
                    "the message behind the large one");
            TcpBench.expectPattern(small, 100, 2);
            MemorySegment in = server.buffer(1 << 20);
            long late = server.context.postReceive(back, in, 1);
            if (PostResult.isPending(late)) {
                assertThat(server.await(late)).isEqualTo(1 << 20);
            }
            TcpBench.expectPattern(in, 1 << 20, 1);
            for (long send : new long[] {first, second}) {
                if (PostResult.isPending(send)) {
                    assertThat(client.await(send)).isPositive();
                }
            }
        }
    }

    private static PeerAddress meet(TcpBench server, TcpBench client) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return server.bmi.testUnexpected(messages, 1) == 1;
                },
                "the first message");
        PeerAddress peer = messages.peer(0);
        messages.free(0);
        return peer;
    }

    @Test
    void everyMessageComesBackUnderStress() throws Exception {
        try (TcpBench server = TcpBench.server("tcp.earlyBytes", "256k");
                TcpBench client = TcpBench.client()) {
            PeerAddress peer = client.lookup(server.port());
            long hello = client.context.postSendUnexpected(peer, client.buffer(1), 0);
            PeerAddress back = meet(server, client);
            assertThat(client.await(hello)).isEqualTo(1);
            int rounds = 300;
            FutureTask<Boolean> echo =
                    new FutureTask<>(
                            () -> {
                                MemorySegment in = server.buffer(300_000);
                                for (int i = 0; i < rounds; i++) {
                                    long size =
                                            result(server, server.context.postReceive(back, in, i));
                                    MemorySegment out = in.asSlice(0, size);
                                    result(server, server.context.postSend(back, out, -i - 1));
                                }
                                return true;
                            });
            new Thread(echo, "echo").start();
            MemorySegment in = client.buffer(300_000);
            for (int i = 0; i < rounds; i++) {
                int size = (i * 7919) % 300_000;
                long send = client.context.postSend(peer, client.pattern(size, i), i);
                long size2 = result(client, client.context.postReceive(peer, in, -i - 1));
                assertThat(size2).isEqualTo(size);
                TcpBench.expectPattern(in, size, i);
                result(client, send);
            }
            assertThat(echo.get()).isTrue();
        }
    }

    private static long result(TcpBench bench, long posted) {
        return PostResult.isPending(posted) ? bench.await(posted) : posted;
    }
}
