package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.LockedFile;
import org.jbmi.zbmi.host.place.OwnFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Gateways that want one socket file, which an earlier one has left. */
@Timeout(60)
class GatewayListenerTest {
    private static final int GATEWAYS = 4;
    private static final int ROUNDS = 50;

    @TempDir private Path directory;
    private Path file;
    private Path lock;

    @BeforeEach
    void leaveASocket() throws IOException {
        file = directory.resolve("gateway.sock");
        lock = directory.resolve("gateway.sock.lock");
        bind().close();
    }

    private ServerSocketChannel bind() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(file));
    }

    private void assertThatSomebodyListens() throws IOException {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
            assertThat(client.isConnected()).isTrue();
        }
    }

    private static void assertThatItIsBusy(Throwable failure) {
        assertThat(failure)
                .isInstanceOf(BmiException.class)
                .extracting("code")
                .isEqualTo(ErrorCode.EBUSY);
    }

    @Test
    void itsSocketIsReplacedAndNoOtherFileIsLeft() throws IOException {
        try (GatewayListener listener = GatewayListener.unix(file.toString())) {
            assertThat(listener.isUnix()).isTrue();
            assertThatSomebodyListens();
            assertThat(directory).isDirectoryContaining(file::equals);
            assertThat(lock).doesNotExist();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whileOneTakesTheNameAnotherRemovesNothing() throws IOException {
        Files.writeString(lock, "somebody's");
        try (LockedFile taken = LockedFile.tryLock(lock)) {
            assertThat(taken).isNotNull();
            assertThatThrownBy(() -> GatewayListener.unix(file.toString()).close())
                    .satisfies(GatewayListenerTest::assertThatItIsBusy);
            assertThat(file).exists();
        }
        GatewayListener.unix(file.toString()).close();
        assertThat(file).doesNotExist();
        assertThat(lock).hasContent("somebody's");
    }

    @Test
    void theSocketOfOneThatTakesTheNameDuringACloseStays() throws IOException {
        List<GatewayListener> next = new ArrayList<>();
        ServerSocketChannel channel =
                new ClosingChannel(
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX),
                        () -> next.add(GatewayListener.unix(file.toString())));
        Files.delete(file);
        channel.bind(UnixDomainSocketAddress.of(file));
        new GatewayListener(channel, OwnFile.of(file)).close();
        assertThat(next).hasSize(1);
        assertThatSomebodyListens();
        next.getFirst().close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void ofThoseThatStartAtOnceOneListens() throws Exception {
        CyclicBarrier start = new CyclicBarrier(GATEWAYS);
        try (ExecutorService threads = Executors.newFixedThreadPool(GATEWAYS)) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Callable<GatewayListener>> gateways = new ArrayList<>();
                for (int i = 0; i < GATEWAYS; i++) {
                    gateways.add(
                            () -> {
                                start.await();
                                return GatewayListener.unix(file.toString());
                            });
                }
                List<GatewayListener> listening = new ArrayList<>();
                for (Future<GatewayListener> one : threads.invokeAll(gateways)) {
                    if (one.state() == Future.State.SUCCESS) {
                        listening.add(one.resultNow());
                    } else {
                        assertThatItIsBusy(one.exceptionNow());
                    }
                }
                assertThatSomebodyListens();
                for (GatewayListener listener : listening) {
                    listener.close();
                }
                assertThat(listening).hasSize(1);
                assertThat(directory).isEmptyDirectory();
                bind().close();
            }
        }
    }
}
