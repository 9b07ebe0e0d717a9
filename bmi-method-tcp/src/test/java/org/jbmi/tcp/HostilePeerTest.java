package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.FutureTask;

/** Peers that send what no peer should: each harms itself only. */
@Timeout(100)
class HostilePeerTest {
    private TcpBench server;
    private RawPeer good;
    private PeerAddress goodPeer;

    @BeforeEach
    void open() throws IOException {
        server = TcpBench.server("tcp.headerTimeoutMs", "300", "tcp.earlyLingerMs", "200");
        good = server.raw();
        good.hello();
        goodPeer = server.meet();
    }

    @AfterEach
    void close() throws IOException {
        expectGoodWorks();
        assertThat(server.counter("tcp.unexpectedHeldBytes")).isZero();
        server.close();
    }

    private void expectGoodWorks() throws IOException {
        MemorySegment in = server.buffer(5000);
        long id = server.context.postReceive(goodPeer, in, 3);
        good.message(WireMode.EAGER, 3, 5000);
        assertThat(server.await(id)).isEqualTo(5000);
        TcpBench.expectPattern(in, 5000, 3);
    }

    @Test
    void headerThatComesByteByByteHasNoMoreTime() throws IOException {
        RawPeer raw = server.raw();
        ByteBuffer header = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        Dialect.STANDALONE.write(header, WireMode.EAGER, 5, 0, 10, 0);
        boolean isClosed = false;
        for (int i = 0; i < 24 && !isClosed; i++) { // the last byte does not come
            raw.bytes(new byte[] {header.get(i)}, 1);
            server.drive(100);
            isClosed =
                    server.counter("tcp.accepted") == 2 && server.counter("tcp.connections") == 1;
        }
        assertThat(isClosed).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "4, -1",
        "4, 16777217",
        "8, -9223372036854775808",
        "8, 35184372088832",
        "2, 16385",
        "2, -5",
        "2, 60000",
        "1, 0",
        "0, 10",
        "16, 10",
        "6, 10",
        "-1, 0"
    })
    void malformedHeader(int mode, long size) throws IOException {
        RawPeer bad = server.raw();
        bad.hello();
        PeerAddress peer = server.meet();
        long receive = server.context.postReceive(peer, server.buffer(100), 5);
        bad.send(mode, 5, 0, size, 0, new byte[0]);
        assertThat(server.await(receive)).isEqualTo(ErrorCode.EBADMSG.negativeValue());
        assertThat(bad.isClosed()).isTrue();
        long refused = server.context.postSend(peer, server.buffer(1), 1);
        assertThat(PostResult.isRefused(refused)).isTrue();
    }

    @Test
    void badMagic() throws IOException {
        RawPeer bad = server.raw();
        bad.bytes("GET / HTTP/1.0\r\n\r\n".getBytes("US-ASCII"), 18);
        server.drive(50);
        assertThat(bad.isClosed()).isTrue();
    }

    @Test
    void otherDialectIsRefusedAtItsFirstBytes() throws IOException {
        RawPeer bad = server.raw();
        bad.bytes(new byte[] {(byte) 0xBF, (byte) 0xCA, 0, 0, 2, 0, 0, 0}, 8);
        TcpBench.eventually(
                () -> {
                    server.drive(5);
                    return server.counter("tcp.protocolErrors") == 1;
                },
                "the error is counted");
        assertThat(bad.isClosed()).isTrue();
    }

    @Test
    void halfHeaderMeetsItsDeadline() throws IOException {
        RawPeer bad = server.raw();
        bad.hello();
        PeerAddress peer = server.meet();
        long receive = server.context.postReceive(peer, server.buffer(100), 5);
        bad.bytes(new byte[] {(byte) 0xC8, (byte) 0xCA, 0, 0, 4}, 5);
        assertThat(server.await(receive)).isEqualTo(ErrorCode.EPIPE.negativeValue());
        assertThat(bad.isClosed()).isTrue();
    }

    @Test
    void timeWithinAMessageIsNoTimeOfTheNextHeader() throws IOException {
        int timeoutMs = 1500;
        try (TcpBench slow = TcpBench.server("tcp.headerTimeoutMs", "" + timeoutMs)) {
            RawPeer raw = slow.raw();
            raw.hello();
            PeerAddress peer = slow.meet();
            ByteBuffer stream = ByteBuffer.allocate(2000).order(ByteOrder.LITTLE_ENDIAN);
            Dialect.STANDALONE.write(stream, WireMode.EAGER, 5, 0, 1000, 0);
            stream.put(RawPeer.payload(1000, 5));
            int firstEnd = stream.position();
            Dialect.STANDALONE.write(stream, WireMode.EAGER, 6, 0, 10, 0);
            stream.put(RawPeer.payload(10, 6));
            byte[] bytes = stream.array();
            raw.bytes(bytes, 400);
            TcpBench.eventually(
                    () -> {
                        slow.drive(1);
                        return slow.counter("tcp.earlyHeldBytes") > 0;
                    },
                    "a part of the message is there");
            raw.socket.setSoTimeout(timeoutMs + 100);
            assertThat(raw.isClosed()).isFalse(); // the peer stalls, and the program tests nothing
            raw.bytes(Arrays.copyOfRange(bytes, 400, firstEnd + 3), firstEnd + 3 - 400);
            slow.drive(1);
            int left = stream.position() - firstEnd - 3;
            raw.bytes(Arrays.copyOfRange(bytes, firstEnd + 3, stream.position()), left);
            long second = slow.context.postReceive(peer, slow.buffer(10), 6);
            assertThat(PostResult.isPending(second) ? slow.await(second) : second).isEqualTo(10);
            long first = slow.context.postReceive(peer, slow.buffer(1000), 5);
            assertThat(PostResult.isPending(first) ? slow.await(first) : first).isEqualTo(1000);
        }
    }

    @Test
    void finInsideHeaderIsNoticedAtOnce() throws IOException {
        RawPeer bad = server.raw();
        bad.hello();
        PeerAddress peer = server.meet();
        long receive = server.context.postReceive(peer, server.buffer(100), 5);
        bad.bytes(new byte[] {(byte) 0xC8, (byte) 0xCA, 0, 0, 4}, 5);
        bad.close();
        assertThat(server.await(receive)).isEqualTo(ErrorCode.EPIPE.negativeValue());
    }

    @Test
    void finInsidePayload() throws IOException {
        RawPeer bad = server.raw();
        bad.hello();
        PeerAddress peer = server.meet();
        long one = server.context.postReceive(peer, server.buffer(1000), 5);
        long two = server.context.postReceive(peer, server.buffer(1000), 6);
        bad.send(WireMode.EAGER, 5, 0, 1000, 0, new byte[400]);
        bad.close();
        assertThat(server.await(one)).isEqualTo(ErrorCode.EPIPE.negativeValue());
        assertThat(server.await(two)).isEqualTo(ErrorCode.EPIPE.negativeValue());
    }

    @Test
    void brokenUnexpectedLeavesNothing() throws IOException {
        RawPeer bad = server.raw();
        bad.send(WireMode.UNEXPECTED, 5, 0, 1000, 0, new byte[400]);
        server.drive(50);
        bad.close();
        TcpBench.eventually(
                () -> {
                    server.drive(5);
                    return server.counter("tcp.unexpectedHeldBytes") == 0;
                },
                "the memory is given back");
    }

    @Test
    void expectedFloodWithoutReceivesIsPushedBack() throws Exception {
        server.close();
        server = TcpBench.server("tcp.earlyBytes", "1m", "tcp.earlyPeerBytes", "512k");
        good = server.raw();
        good.hello();
        goodPeer = server.meet();
        RawPeer bad = server.raw();
        FutureTask<Integer> flood =
                new FutureTask<>(
                        () -> {
                            int sent = 0;
                            while (true) {
                                try {
                                    bad.message(WireMode.EAGER, sent, 16_000);
                                } catch (IOException e) {
                                    return sent;
                                }
                                sent++;
                            }
                        });
        new Thread(flood, "flood").start();
        for (int i = 0; i < 20; i++) {
            server.drive(20);
            assertThat(server.counter("tcp.earlyHeldBytes")).isLessThanOrEqualTo(512 << 10);
            expectGoodWorks();
        }
        TcpBench.eventually(
                () -> {
                    server.drive(5);
                    return server.counter("tcp.stalls") > 0;
                },
                "it is pushed back");
        bad.close();
        assertThat(flood.get()).isPositive();
    }

    /** Each takes memory in the heap too. */
    @Test
    void emptyMessagesWithDifferentTagsReachTheShareOfTheirPeer() throws IOException {
        int shareBytes = 1 << 20;
        server.close();
        server = TcpBench.server("tcp.earlyPeerBytes", Integer.toString(shareBytes));
        good = server.raw();
        good.hello();
        goodPeer = server.meet();
        RawPeer bad = server.raw();
        for (int tag = 0; tag <= shareBytes / 512; tag++) {
            bad.message(WireMode.EAGER, tag, 0);
        }
        TcpBench.eventually(
                () -> {
                    server.drive(1);
                    return server.counter("tcp.stalls") == 1;
                },
                "the last one finds no memory");
        assertThat(server.counter("tcp.earlyHeldBytes")).isEqualTo(shareBytes);
    }

    @Test
    void streamsOfNonsense() throws IOException {
        long seed = System.nanoTime();
        System.out.println("HostilePeerTest.streamsOfNonsense seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 400; round++) {
            RawPeer bad = server.raw();
            int pieces = random.nextInt(6);
            try {
                for (int i = 0; i < pieces; i++) {
                    nonsense(bad, random);
                }
                if (random.nextBoolean()) {
                    bad.reset();
                } else {
                    bad.close();
                }
            } catch (IOException e) {
                bad.close(); // it was thrown out already
            }
            drain(0);
            if (round % 50 == 0) {
                expectGoodWorks();
            }
        }
        TcpBench.eventually(
                () -> {
                    drain(5);
                    return server.counter("tcp.connections") == 1
                            && server.counter("tcp.earlyHeldBytes") == 0;
                },
                "only the good one is left");
    }

    private void drain(int idleMs) {
        for (int messageClass = 0; messageClass < 2; messageClass++) {
            while (server.bmi.testUnexpected(messageClass, messages, idleMs) == 1) {
                messages.free(0);
            }
        }
    }

    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);

    private static void nonsense(RawPeer bad, Random random) throws IOException {
        int[] modes = {2, 4, 8, 4, 2, random.nextInt()};
        int mode = modes[random.nextInt(modes.length)];
        long size =
                switch (random.nextInt(5)) {
                    case 0 -> random.nextLong();
                    case 1 -> 0;
                    default -> random.nextInt(20_000);
                };
        byte[] payload = new byte[(int) Math.min(Math.max(0, size), 20_000)];
        byte[] part =
                random.nextInt(4) == 0 ? new byte[random.nextInt(payload.length + 1)] : payload;
        bad.send(mode, random.nextInt(5), random.nextInt(3), size, random.nextInt(2), part);
    }
}
