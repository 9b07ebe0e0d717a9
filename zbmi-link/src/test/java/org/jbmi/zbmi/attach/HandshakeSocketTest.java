package org.jbmi.zbmi.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A daemon that is there, and does not answer. */
@Timeout(30)
class HandshakeSocketTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);

    /** Connect fails while the queue is full; who has time tries again. */
    @Test
    void aFullQueueIsWaitedForUntilThereIsRoom(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        List<SocketChannel> accepted = new ArrayList<>();
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(address, 2);
            List<SocketChannel> others = FullQueue.fill(address);
            NanoClock acceptsAll =
                    () -> {
                        acceptUpTo(others.size(), daemon, accepted);
                        return NanoClock.SYSTEM.nanoTime();
                    };
            long deadlineNs = NanoClock.SYSTEM.nanoTime() + PATIENCE_NS;
            HandshakeSocket.connect(path, acceptsAll, deadlineNs).closeUnlessReleased();
            assertThat(accepted).as("it had to wait").hasSameSizeAs(others);
            FullQueue.closeAll(others);
        } finally {
            FullQueue.closeAll(accepted);
        }
    }

    private static void acceptUpTo(int most, ServerSocketChannel from, List<SocketChannel> to) {
        try {
            while (to.size() < most) {
                to.add(from.accept());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aQueueThatStaysFullEndsInATimeout(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(address, 2);
            List<SocketChannel> others = FullQueue.fill(address);
            long nowNs = NanoClock.SYSTEM.nanoTime();
            BmiException failure =
                    catchThrowableOfType(
                            BmiException.class,
                            () -> HandshakeSocket.connect(path, NanoClock.SYSTEM, nowNs));
            assertThat(failure.code()).isEqualTo(ErrorCode.ETIMEDOUT);
            FullQueue.closeAll(others);
        }
    }

    @Test
    void whatNobodyWantsAnyMoreIsNotWaitedFor(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            long deadlineNs = NanoClock.SYSTEM.nanoTime() + PATIENCE_NS;
            AtomicInteger asked = new AtomicInteger();
            HandshakeSocket socket =
                    HandshakeSocket.connect(
                            path, NanoClock.SYSTEM, deadlineNs, () -> asked.incrementAndGet() > 2);
            BmiException failure = catchThrowableOfType(BmiException.class, socket::receive);
            socket.closeUnlessReleased();
            assertThat(failure.code()).isEqualTo(ErrorCode.ECANCEL);
        }
    }

    /** Who attaches then tries again, as where nobody listens. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHostThatEndsBeforeItAnswersIsNoHost(boolean isAsked, @TempDir Path directory)
            throws Exception {
        Path path = directory.resolve("daemon");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            long deadlineNs = NanoClock.SYSTEM.nanoTime() + PATIENCE_NS;
            HandshakeSocket socket = HandshakeSocket.connect(path, NanoClock.SYSTEM, deadlineNs);
            if (isAsked) {
                socket.send(new AskOperations(0)); // what is not read makes the end a reset
            }
            daemon.accept().close();
            BmiException failure = catchThrowableOfType(BmiException.class, socket::receive);
            socket.closeUnlessReleased();
            assertThat(failure.code()).isEqualTo(ErrorCode.ENETDOWN);
        }
    }

    @Test
    void aRefusalIsHeardAlsoByOneThatSendsAfterIt(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        Refused refused = new Refused(ErrorCode.EACCES.negativeValue(), "Not you.");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            long deadlineNs = NanoClock.SYSTEM.nanoTime() + PATIENCE_NS;
            HandshakeSocket socket = HandshakeSocket.connect(path, NanoClock.SYSTEM, deadlineNs);
            try (SocketChannel accepted = daemon.accept()) {
                accepted.write(HandshakeCodec.encode(refused));
            }
            socket.send(new AskOperations(0));
            HandshakeFrame answer = socket.receive();
            socket.closeUnlessReleased();
            assertThat(answer).isEqualTo(refused);
        }
    }

    @Test
    void aThreadThatIsInterruptedDoesNotWaitForTheAnswer(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            long deadlineNs = NanoClock.SYSTEM.nanoTime() + PATIENCE_NS;
            HandshakeSocket socket = HandshakeSocket.connect(path, NanoClock.SYSTEM, deadlineNs);
            Thread.currentThread().interrupt();
            BmiException failure = catchThrowableOfType(BmiException.class, socket::receive);
            boolean isStillInterrupted = Thread.interrupted();
            socket.closeUnlessReleased();

            assertThat(failure.code()).isEqualTo(ErrorCode.EINTR);
            assertThat(isStillInterrupted).isTrue();
        }
    }

    /** A host with thousands of operations answers in as many pages as it takes. */
    @Test
    void eachQuestionHasTheWholeTime(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        HandshakeFrame answer = new Redirect("elsewhere");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            SlowHost host = new SlowHost(daemon, answer);
            try (Inquiry inquiry = Inquiry.connect(path, host, PATIENCE_NS)) {
                host.accept();
                assertThat(inquiry.ask(new AskOperations(0))).isEqualTo(answer);
                assertThat(inquiry.ask(new AskOperations(1))).isEqualTo(answer);
            } finally {
                host.close();
            }
        }
    }

    /** Each look at its clock takes most of the patience, and lets it answer what was asked. */
    private static final class SlowHost implements NanoClock {
        private final ServerSocketChannel listening;
        private final ByteBuffer question = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
        private final HandshakeFrame answer;
        private @Nullable SocketChannel peer;
        private long nowNs;

        SlowHost(ServerSocketChannel listening, HandshakeFrame answer) {
            this.listening = listening;
            this.answer = answer;
        }

        void accept() throws IOException {
            peer = listening.accept();
            peer.configureBlocking(false);
        }

        void close() throws IOException {
            if (peer != null) {
                peer.close();
            }
        }

        @Override
        public long nanoTime() {
            nowNs += 3 * PATIENCE_NS / 4;
            try {
                if (peer != null && peer.read(question.clear()) > 0) {
                    peer.write(HandshakeCodec.encode(answer));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return nowNs;
        }
    }
}
