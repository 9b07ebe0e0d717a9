package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A message goes to the receive that waits for it, whatever ended other receives before. */
@Timeout(60)
class WaitingReceivesTest {
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    private static final int EFAULT = ErrorCode.EFAULT.negativeValue();

    /** With so many operations the six low bits of an id tell which object it has. */
    private static final long SLOTS = 64;

    @Test
    void nextReceiveWithTheSameObjectGetsItsOwnBytes() throws IOException {
        try (TcpBench server = TcpBench.server("bmi.maxOperations", Long.toString(SLOTS))) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            MemorySegment first = server.buffer(200_000);
            long cancelled = server.context.postReceive(peer, first, 5);
            byte[] payload = RawPeer.payload(200_000, 5);
            raw.send(WireMode.RENDEZVOUS, 5, 0, 200_000, 0, new byte[0]);
            raw.bytes(payload, 100_000);
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return first.get(ValueLayout.JAVA_BYTE, 99_999) == payload[99_999];
                    },
                    "half of it is there");
            assertThat(server.context.cancel(cancelled)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(server.await(cancelled)).isEqualTo(ECANCEL);
            first.fill((byte) 1);
            MemorySegment second = server.buffer(200_000);
            int tag = 100;
            long next = server.context.postReceive(peer, second, tag);
            while (next % SLOTS != cancelled % SLOTS) {
                tag++;
                next = server.context.postReceive(peer, second, tag);
                assertThat(tag).as("receives until the object is used again").isLessThan(200);
            }
            raw.bytes(Arrays.copyOfRange(payload, 100_000, 200_000), 100_000);
            raw.message(WireMode.RENDEZVOUS, tag, 200_000);
            assertThat(server.await(next)).isEqualTo(200_000);
            TcpBench.expectPattern(second, 200_000, tag);
            MemorySegment untouched = server.buffer(200_000).fill((byte) 1);
            assertThat(first.mismatch(untouched)).isEqualTo(-1);
        }
    }

    @Test
    void cancelledClaimLeavesTheMessageToTheNextReceive() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            PeerAddress peer = claimHalf(server, raw);
            long claims = server.context.postReceive(peer, server.buffer(100_000), 5);
            MemorySegment in = server.buffer(100_000);
            long waits = server.context.postReceive(peer, in, 5);
            assertThat(server.context.cancel(claims)).isEqualTo(CancelOutcome.CANCELLED);
            byte[] payload = RawPeer.payload(100_000, 5);
            raw.bytes(Arrays.copyOfRange(payload, 50_000, 100_000), 50_000);
            assertThat(server.await(waits)).isEqualTo(100_000);
            TcpBench.expectPattern(in, 100_000, 5);
            assertThat(server.await(claims)).isEqualTo(ECANCEL);
            assertThat(server.counter("tcp.earlyHeldBytes")).isZero();
        }
    }

    @Test
    void cancelledClaimEndsTheNextReceiveIfThatIsTooSmall() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            PeerAddress peer = claimHalf(server, raw);
            long claims = server.context.postReceive(peer, server.buffer(100_000), 5);
            long small = server.context.postReceive(peer, server.buffer(10), 5);
            server.context.cancel(claims);
            byte[] payload = RawPeer.payload(100_000, 5);
            raw.bytes(Arrays.copyOfRange(payload, 50_000, 100_000), 50_000);
            assertThat(server.await(small)).isEqualTo(ErrorCode.EMSGSIZE.negativeValue());
            assertThat(server.counter("tcp.earlyHeldBytes")).isZero();
        }
    }

    /** Half of a message with tag 5 and 100000 bytes arrives without a receive. */
    private static PeerAddress claimHalf(TcpBench server, RawPeer raw) throws IOException {
        raw.hello();
        PeerAddress peer = server.meet();
        raw.send(WireMode.RENDEZVOUS, 5, 0, 100_000, 0, new byte[0]);
        raw.bytes(RawPeer.payload(100_000, 5), 50_000);
        TcpBench.eventually(
                () -> {
                    server.drive(1);
                    return server.counter("tcp.earlyHeldBytes") > 0;
                },
                "the message has memory");
        return peer;
    }

    /** A program receives into a mapped file and sends from it, and somebody shortens the file. */
    @Test
    void aShortenedFileEndsItsOwnOperationsOnly(@TempDir Path directory) throws IOException {
        try (TcpBench server = TcpBench.server();
                FileChannel file =
                        FileChannel.open(
                                directory.resolve("mapped"),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            MemorySegment mapped =
                    file.map(FileChannel.MapMode.READ_WRITE, 0, 100_000, server.arena);
            RawPeer raw = server.raw();
            PeerAddress peer = claimHalf(server, raw);
            long claims = server.context.postReceive(peer, mapped, 5);
            file.truncate(0);
            byte[] payload = RawPeer.payload(100_000, 5);
            raw.bytes(Arrays.copyOfRange(payload, 50_000, 100_000), 50_000);
            assertThat(server.await(claims)).isEqualTo(EFAULT);
            assertThat(server.counter("tcp.earlyHeldBytes")).isZero();

            raw.message(WireMode.EAGER, 6, 5000);
            raw.message(WireMode.UNEXPECTED, 1, 4);
            server.meet();
            assertThat(server.context.postReceive(peer, mapped, 6)).isEqualTo(EFAULT);
            assertThat(server.counter("tcp.earlyHeldBytes")).isZero();

            long waits = server.context.postReceive(peer, mapped, 7);
            raw.message(WireMode.EAGER, 7, 5000);
            assertThat(server.await(waits)).isEqualTo(EFAULT);

            MemorySegment part = mapped.asSlice(0, 5000);
            assertThat(server.context.postSend(peer, part, 8)).isEqualTo(EFAULT);
            assertThat(server.context.postSend(peer, server.pattern(10, 9), 9)).isEqualTo(10);
            raw.expect(WireMode.EAGER, 9, 10);
        }
    }

    @Test
    void receiveAtALookedUpServerGetsTheMessageThatWaitsForMemory() throws IOException {
        CountDownLatch isPosted = new CountDownLatch(1);
        TcpResolver later =
                (host, port) -> {
                    try {
                        isPosted.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return List.of(new InetSocketAddress("127.0.0.1", port));
                };
        BmiBuilder builder =
                TcpBench.builder("tcp.earlyBytes", "64k")
                        .attach(TcpResolver.class, later)
                        .listen("tcp://127.0.0.1:0");
        try (TcpBench server = TcpBench.of(builder)) {
            ServerSocket other = server.rawServer(0);
            String name = "tcp://named:" + other.getLocalPort();
            RawPeer raw = server.raw();
            int hash = SourceHash.of(name);
            raw.send(WireMode.UNEXPECTED, 1, hash, 4, 0, RawPeer.payload(4, 1));
            server.meet();
            raw.send(WireMode.RENDEZVOUS, 5, hash, 200_000, 0, RawPeer.payload(200_000, 5));
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.stalls") > 0;
                    },
                    "the message waits for memory");
            PeerAddress peer = server.bmi.lookup(name);
            MemorySegment in = server.buffer(200_000);
            long receive = server.context.postReceive(peer, in, 5);
            isPosted.countDown();
            assertThat(server.await(receive)).isEqualTo(200_000);
            TcpBench.expectPattern(in, 200_000, 5);
        } finally {
            isPosted.countDown();
        }
    }
}
