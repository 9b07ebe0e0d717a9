package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

@Timeout(60)
class SocketPeersTest {
    @TempDir Path temporary;

    private ServerSocketChannel listen(Path path) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        return listener;
    }

    @Test
    void thisProcessIsFoundAtBothEndsAndNothingIsLeftOnTheSocket() throws IOException {
        Path path = temporary.resolve("s");
        try (ServerSocketChannel listener = listen(path);
                SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(path));
                SocketChannel other = listener.accept()) {
            long own = ProcessHandle.current().pid();
            assertThat(new SocketPeers().processOf(other)).isEqualTo(own);
            assertThat(new SocketPeers().processOf(one)).isEqualTo(own);
            assertThat(other.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
        }
    }

    @Test
    void anotherProcessIsFoundByItsId() throws Exception {
        Path path = temporary.resolve("s");
        try (ServerSocketChannel listener = listen(path)) {
            Process child = ChildJvm.start(Connector.class, List.of(), path.toString());
            try (SocketChannel accepted = listener.accept()) {
                assertThat(new SocketPeers().processOf(accepted)).isEqualTo(child.pid());
            } finally {
                child.destroyForcibly().waitFor();
            }
        }
    }

    /** Connects and stays. */
    static final class Connector {
        private Connector() {}

        public static void main(String[] arguments) throws IOException {
            try (SocketChannel channel =
                    SocketChannel.open(UnixDomainSocketAddress.of(Path.of(arguments[0])))) {
                while (channel.isOpen() && System.in.read() >= 0) {
                    continue;
                }
            }
        }
    }

    @Test
    void manyThreadsAskAboutManySocketsAtOnce() throws Exception {
        Path path = temporary.resolve("s");
        List<SocketChannel> open = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (ServerSocketChannel listener = listen(path)) {
            List<Callable<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                open.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
                SocketChannel accepted = listener.accept();
                open.add(accepted);
                calls.add(() -> new SocketPeers().processOf(accepted));
            }
            for (Future<Long> found : threads.invokeAll(calls)) {
                assertThat(found.get()).isEqualTo(ProcessHandle.current().pid());
            }
        } finally {
            threads.shutdownNow();
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
        assertThat(Files.exists(path)).isTrue();
    }

    @Test
    void thoseThatConnectOneAfterAnotherAreFoundWithoutCheckingAllOthers() throws IOException {
        Path path = temporary.resolve("s");
        List<SocketChannel> open = new ArrayList<>();
        SocketPeers peers = new SocketPeers();
        int sockets = 300;
        try (ServerSocketChannel listener = listen(path)) {
            for (int i = 0; i < sockets; i++) {
                open.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
                open.add(listener.accept());
            }
            peers.processOf(open.get(1));
            long before = peers.checked;
            for (int i = 1; i < open.size(); i += 2) {
                long own = ProcessHandle.current().pid();
                assertThat(peers.processOf(open.get(i))).isEqualTo(own);
            }
            assertThat(peers.checked - before).as("descriptors").isLessThan(10L * sockets);
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
    }

    @Test
    void aSocketIsFoundBehindThousandsOfOpenFiles() throws IOException {
        Path path = temporary.resolve("s");
        Path file = Files.createFile(temporary.resolve("file"));
        List<FileChannel> files = new ArrayList<>();
        try (ServerSocketChannel listener = listen(path)) {
            for (int i = 0; i < 1100; i++) {
                files.add(FileChannel.open(file));
            }
            try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(path));
                    SocketChannel other = listener.accept()) {
                assertThat(one.isConnected()).isTrue();
                assertThat(new SocketPeers().processOf(other))
                        .isEqualTo(ProcessHandle.current().pid());
                assertThat(other.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
            }
        } finally {
            for (FileChannel open : files) {
                open.close();
            }
        }
    }
}
