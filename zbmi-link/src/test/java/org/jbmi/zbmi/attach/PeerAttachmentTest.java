package org.jbmi.zbmi.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A host whose welcome names a segment that is not there. */
@Timeout(30)
class PeerAttachmentTest {
    @TempDir private Path directory;
    private ServerSocketChannel host;

    @BeforeEach
    void listen() throws IOException {
        host = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        host.bind(UnixDomainSocketAddress.of(directory.resolve("daemon")));
    }

    @AfterEach
    void close() throws IOException {
        host.close();
    }

    /** The host answers while the peer looks at the clock before it waits for the answer. */
    private ErrorCode failureOf(Callable<SocketChannel> answer) throws IOException {
        List<SocketChannel> answered = new ArrayList<>();
        AtomicInteger looks = new AtomicInteger();
        NanoClock clock =
                () -> {
                    if (looks.incrementAndGet() == 2) {
                        answered.add(result(answer));
                    }
                    return NanoClock.SYSTEM.nanoTime();
                };
        AttachRequest request =
                new AttachRequest(
                        directory.resolve("daemon"),
                        PeerRole.CLIENT,
                        "shm",
                        TimeUnit.SECONDS.toNanos(10),
                        new FutexWaiting(),
                        clock,
                        new ProcessLiveness());
        BmiException failure =
                catchThrowableOfType(
                        BmiException.class, () -> PeerAttachment.connect(request).close());
        answered.getFirst().close();
        return failure.code();
    }

    private static SocketChannel result(Callable<SocketChannel> answer) {
        try {
            return answer.call();
        } catch (Exception e) {
            throw new IllegalStateException("the host cannot answer", e);
        }
    }

    private SocketChannel welcomed(byte... more) throws IOException {
        SocketChannel peer = host.accept();
        peer.read(ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES));
        Welcome welcome =
                new Welcome(
                        1,
                        1,
                        HostKind.EMBEDDED,
                        ProcessHandle.current().pid(),
                        1,
                        directory.resolve("gone").toString(),
                        1,
                        new SegmentGeometry(1, 16, 16, 2, 64, 4096, 4096),
                        new SessionLimits(4096, 4096, 64, 1, 1));
        ByteBuffer frame = HandshakeCodec.encode(welcome);
        peer.write(
                ByteBuffer.allocate(frame.remaining() + more.length).put(frame).put(more).flip());
        return peer;
    }

    private SocketChannel welcomedAtTheEnd(byte... more) throws IOException {
        SocketChannel peer = welcomed(more);
        peer.close();
        return peer;
    }

    /** Who attaches then tries again, as where nobody listens. */
    @Test
    void aHostThatEndsAfterItsWelcomeIsNoHost() throws IOException {
        assertThat(failureOf(this::welcomedAtTheEnd)).isEqualTo(ErrorCode.ENETDOWN);
    }

    @Test
    void soIsOneThatSaysThatItsServerHasClosed() throws IOException {
        assertThat(failureOf(() -> welcomedAtTheEnd(HandshakeCodec.WAKE, HandshakeCodec.CLOSED)))
                .isEqualTo(ErrorCode.ENETDOWN);
    }

    /** As in a container without the folder of the segments: another attempt would not help. */
    @Test
    void aHostThatLivesAndWhoseSegmentCannotBeSeenIsAnErrorAtOnce() throws Exception {
        assertThat(failureOf(this::welcomed)).isEqualTo(ErrorCode.EPROTO);
        assertThat(failureOf(() -> welcomed(HandshakeCodec.WAKE))).isEqualTo(ErrorCode.EPROTO);
    }
}
