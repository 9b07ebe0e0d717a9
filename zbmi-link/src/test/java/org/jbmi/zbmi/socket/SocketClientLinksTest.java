package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.FullQueue;
import org.jbmi.zbmi.attach.HostDialer;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A client dials, and the gateway, which is there, does not answer. */
@Timeout(60)
class SocketClientLinksTest {
    /** So long that an interrupt is what ends it; not for good, since nothing else may end it. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    private final CountedSockets sockets = new CountedSockets();
    private final LinkSettings settings =
            new LinkSettings(sockets, ThreadParking.INSTANCE, Long.MAX_VALUE, 0);
    private SocketAddress address;
    private ServerSocketChannel gateway;

    @BeforeEach
    void listen(@TempDir Path directory) throws IOException {
        address = UnixDomainSocketAddress.of(directory.resolve("gateway"));
        gateway = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        gateway.bind(address, 8);
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    private HostDialer dialer(LinkSettings its, long timeoutNs) {
        AttachRequest request =
                new AttachRequest(
                        Path.of("unused"),
                        PeerRole.CLIENT,
                        SocketClientLinks.NAME,
                        timeoutNs,
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        return SocketClientLinks.dialer(address, its, request);
    }

    private LinkWelcome dial() throws IOException {
        HostDialer dialer = dialer(settings, PATIENCE_NS);
        try (SocketChannel channel = dialer.connect(address)) {
            return SocketClientLinks.shakeHands(dialer, channel);
        }
    }

    private static ErrorCode failure(Callable<?> call) {
        return catchThrowableOfType(BmiException.class, call::call).code();
    }

    private void assertAllClosed() {
        assertThat(sockets.openChannels()).isZero();
        assertThat(sockets.openSelectors()).isZero();
    }

    private void assertDoesNotWaitWhenInterrupted() {
        Thread.currentThread().interrupt();
        ErrorCode code = failure(this::dial);
        boolean isStillInterrupted = Thread.interrupted();

        assertThat(code).isEqualTo(ErrorCode.EINTR);
        assertThat(isStillInterrupted).isTrue();
        assertAllClosed();
    }

    @Test
    void aThreadThatWasInterruptedBeforeDoesNotWaitForTheAnswer() {
        assertDoesNotWaitWhenInterrupted();
    }

    @Test
    void aThreadThatWasInterruptedBeforeDoesNotWaitForTheConnection() throws IOException {
        try (ServerSocketChannel remote = ServerSocketChannel.open()) {
            remote.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            address = remote.getLocalAddress();
            assertDoesNotWaitWhenInterrupted();
        }
    }

    // Connect fails with EAGAIN while the queue of a Unix-domain socket is full.
    @Test
    void aFullQueueIsWaitedForUntilThereIsRoom() throws IOException {
        List<SocketChannel> others = FullQueue.fill(address);
        AtomicInteger parks = new AtomicInteger();
        Parking acceptsAll = new AcceptingParking(others.size(), parks);
        LinkSettings acting = new LinkSettings(sockets, acceptsAll, Long.MAX_VALUE, 0);
        dialer(acting, PATIENCE_NS).connect(address).close();
        assertThat(parks).hasValue(1);
        FullQueue.closeAll(others);
        assertAllClosed();
    }

    @Test
    void aQueueThatStaysFullEndsInATimeout() throws IOException {
        List<SocketChannel> others = FullQueue.fill(address);
        HostDialer dialer = dialer(settings, 1);
        assertThat(failure(() -> dialer.connect(address))).isEqualTo(ErrorCode.ETIMEDOUT);
        FullQueue.closeAll(others);
        assertAllClosed();
    }

    @Test
    void aSocketThatIsNotThereIsNotWaitedFor() throws IOException {
        gateway.close();
        assertThat(failure(this::dial)).isEqualTo(ErrorCode.ENETDOWN);
        address = UnixDomainSocketAddress.of(path() + ".none");
        assertThat(failure(this::dial)).isEqualTo(ErrorCode.ENETDOWN);
        assertAllClosed();
    }

    /** It fails with the class of exception that a full queue has. */
    @Test
    void aProcessWithoutDescriptorsDoesNotTryAgain() {
        sockets.isExhausted = true;
        assertThat(failure(this::dial)).isEqualTo(ErrorCode.ENETDOWN);
    }

    /** A refusal is heard also if the gateway has hung up before the hello. */
    @Test
    void aRefusalIsHeardAlsoIfTheHelloComesTooLate() throws IOException {
        HostDialer dialer = dialer(settings, PATIENCE_NS);
        try (SocketChannel channel = dialer.connect(address)) {
            try (SocketChannel accepted = gateway.accept()) {
                accepted.write(LinkHandshake.refused(ErrorCode.EACCES, "Not from this address."));
            }
            assertThat(failure(() -> SocketClientLinks.shakeHands(dialer, channel)))
                    .isEqualTo(ErrorCode.EACCES);
        }
        assertAllClosed();
    }

    /** It closes the oldest of too many connections, whose client is to dial again. */
    @Test
    void aGatewayThatHangsUpBeforeItAnswersIsNotThere() throws IOException {
        HostDialer dialer = dialer(settings, PATIENCE_NS);
        try (SocketChannel channel = dialer.connect(address)) {
            gateway.accept().close();
            assertThat(failure(() -> SocketClientLinks.shakeHands(dialer, channel)))
                    .isEqualTo(ErrorCode.ENETDOWN);
        }
        try (SocketChannel channel = dialer.connect(address);
                SocketChannel accepted = gateway.accept()) {
            accepted.shutdownOutput();
            assertThat(failure(() -> SocketClientLinks.shakeHands(dialer, channel)))
                    .isEqualTo(ErrorCode.ENETDOWN);
        }
        assertAllClosed();
    }

    private String path() {
        return ((UnixDomainSocketAddress) address).getPath().toString();
    }

    /** Accepts all who wait, whenever somebody would wait for it. */
    private final class AcceptingParking implements Parking {
        private final int connections;
        private final AtomicInteger parks;

        AcceptingParking(int connections, AtomicInteger parks) {
            this.connections = connections;
            this.parks = parks;
        }

        @Override
        public Thread current() {
            return Thread.currentThread();
        }

        @Override
        public void park(Object blocker, long timeoutNs) {
            parks.incrementAndGet();
            for (int i = 0; i < connections; i++) {
                try {
                    gateway.accept().close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void unpark(Thread thread) {}
    }

    // Its hello has come, so it waits, or is about to.
    @Test
    void anInterruptEndsTheWaitForTheAnswer() throws Exception {
        FutureTask<ErrorCode> task =
                new FutureTask<>(
                        () -> {
                            ErrorCode code = failure(this::dial);
                            assertThat(Thread.currentThread().isInterrupted()).isTrue();
                            return code;
                        });
        Thread dialling = Thread.ofPlatform().start(task);
        try (SocketChannel accepted = gateway.accept()) {
            accepted.read(ByteBuffer.allocate(1));
            dialling.interrupt();
            assertThat(task.get()).isEqualTo(ErrorCode.EINTR);
        } finally {
            dialling.join();
        }
        assertAllClosed();
    }
}
