package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.FutureTask;

/** Senders that know no measure, and receivers that are slow: nothing is lost, nothing grows. */
@Timeout(600)
class FloodTest {
    private static final int COUNT = 1_000_000;
    private static final int TIMES = Boolean.getBoolean("jbmi.long") ? 5 : 1;
    private static final long GROWTH_BYTES = 64L << 20;

    /** How slow the receiver is: it rests for a millisecond after so many messages. */
    private static final int[] RESTS = {2_000, 20_000, 300};

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void aMillionUnexpectedMessages(Dialect dialect) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            try (TcpBench server = floodedServer(dialect);
                    TcpBench client = TcpBench.client("tcp.dialect", dialect.label())) {
                PeerAddress peer = client.lookup(server.port());
                FutureTask<Long> flood = new FutureTask<>(() -> send(client, peer));
                new Thread(flood, "flood").start();
                takeAll(server, RESTS[i % RESTS.length]);
                assertThat(flood.get()).isEqualTo(COUNT);
            }
        }
    }

    /** A C program does not wait for anything either, and writes whatever the system takes. */
    @ParameterizedTest
    @EnumSource(Dialect.class)
    void aMillionUnexpectedMessagesOfAPlainSocket(Dialect dialect) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            try (TcpBench server = floodedServer(dialect)) {
                RawPeer raw = server.raw().speaking(dialect);
                FutureTask<Long> flood = new FutureTask<>(() -> write(raw, dialect));
                new Thread(flood, "flood").start();
                Thread.sleep(300); // it runs into the wall before anybody takes anything
                takeAll(server, RESTS[i % RESTS.length]);
                assertThat(flood.get()).isEqualTo(COUNT);
            }
        }
    }

    private static TcpBench floodedServer(Dialect dialect) {
        return TcpBench.server(
                "tcp.dialect", dialect.label(),
                "tcp.unexpectedBytes", "2m",
                "tcp.unexpectedPeerBytes", "1m");
    }

    private static long write(RawPeer raw, Dialect dialect) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(100_000).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < COUNT; i++) {
            dialect.write(out, WireMode.UNEXPECTED, i, 0, 64, 0);
            int at = out.position();
            out.putInt(at, i).position(at + 64);
            if (out.remaining() < 100) {
                raw.bytes(out.array(), out.position());
                out.clear();
            }
        }
        raw.bytes(out.array(), out.position());
        raw.close(); // and goes: what it has sent is delivered all the same
        return COUNT;
    }

    private static void takeAll(TcpBench server, int restAfter) throws InterruptedException {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);
        long usedBytes = usedBytes();
        long mostUsedBytes = 0;
        long mostHeldBytes = 0;
        int next = 0;
        int nextRest = restAfter;
        int nextLook = COUNT / 8;
        while (next < COUNT) {
            int count = server.bmi.testUnexpected(messages, 20_000);
            assertThat(count).as("messages behind %d", next).isPositive();
            for (int i = 0; i < count; i++) {
                int number = messages.payload(i).get(ValueLayout.JAVA_INT, 0);
                if (messages.tag(i) != next || number != next) {
                    throw new AssertionError(messages.tag(i) + " and not " + next);
                }
                messages.free(i);
                next++;
            }
            mostHeldBytes = Math.max(mostHeldBytes, server.counter("tcp.unexpectedHeldBytes"));
            if (next >= nextRest && next < COUNT / 2) {
                nextRest += restAfter;
                Thread.sleep(1); // slower than the sender
            }
            if (next >= nextLook) {
                nextLook += COUNT / 8;
                mostUsedBytes = Math.max(mostUsedBytes, usedBytes());
            }
        }
        assertThat(mostHeldBytes).isBetween(1L, 1L << 20);
        assertThat(mostUsedBytes).isLessThan(usedBytes + GROWTH_BYTES);
        assertThat(server.counter("tcp.unexpectedHeldBytes")).isZero();
    }

    private static long usedBytes() {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            used += pool.getMemoryUsed();
        }
        return used;
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
                    assertThat(done.outcome(i)).isEqualTo(ErrorCode.SUCCESS);
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
