package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.io.SocketTable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The system's list of connections says what became of a peer. */
@Timeout(60)
class SocketTableTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void knowsWhoHasGone(String address) throws IOException {
        Assumptions.assumeTrue(
                Files.isReadable(Path.of("/proc/self/net/tcp")), "there is no such list here");
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            try {
                listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
            } catch (IOException e) {
                Assumptions.abort("This machine has no " + address);
            }
            try (SocketChannel there = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel closing = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel cut = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel one = listener.accept();
                    SocketChannel two = listener.accept();
                    SocketChannel three = listener.accept()) {
                end(closing);
                cut.setOption(StandardSocketOptions.SO_LINGER, 0);
                end(cut);
                TcpBench.eventually(() -> state(two) == SocketTable.CLOSED, "the closed one");
                TcpBench.eventually(() -> state(three) == SocketTable.CUT_OFF, "the one cut off");
                assertThat(state(one)).isEqualTo(SocketTable.THERE);
                assertThat(state(there)).isEqualTo(SocketTable.THERE);
            }
        }
    }

    @Test
    void listThatIsNotReadToItsEndSaysNothing(@TempDir Path directory) throws IOException {
        Path first = directory.resolve("tcp");
        Path second = directory.resolve("tcp6");
        Path missing = directory.resolve("missing");
        Files.writeString(first, "titles\n");
        Files.writeString(second, "titles\n0: 1:1 2:2 broken\n");
        assertThat(absent(List.of(first, second))).isEqualTo(SocketTable.THERE);
        assertThat(absent(List.of(first, missing))).isEqualTo(SocketTable.CUT_OFF);
        assertThat(absent(List.of(missing))).isEqualTo(SocketTable.THERE);
    }

    private static int absent(List<Path> files) {
        InetSocketAddress local = new InetSocketAddress("127.0.0.1", 1);
        InetSocketAddress remote = new InetSocketAddress("127.0.0.1", 2);
        SocketTable table = new SocketTable(files);
        table.want(local, remote);
        table.read();
        return table.stateOf(local, remote);
    }

    private static void end(SocketChannel channel) throws IOException {
        channel.close();
    }

    private static int state(SocketChannel channel) {
        try {
            SocketTable table = new SocketTable();
            table.want(channel.getLocalAddress(), channel.getRemoteAddress());
            table.read();
            return table.stateOf(channel.getLocalAddress(), channel.getRemoteAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
