package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpKnobs;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FreePort;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Options and knobs that concern sockets. */
@Timeout(60)
class OptionsTest {
    private static final long HEADER_BYTES = 24;
    private static final long MOST_SMALL_BYTES = 600_000;
    private static final int LARGE_MESSAGES = 20;

    /** A little longer than a connection may take to send its first header. */
    private static final long SILENT_NS = 1_100_000_000L;

    @Test
    void port() {
        try (TcpBench server = TcpBench.server();
                TcpBench client = TcpBench.client()) {
            assertThat(server.port()).isPositive();
            client.lookup(server.port());
            assertThat(client.bmi.getOption(TcpOptions.PORT)).isEqualTo(-1);
        }
    }

    @Test
    void portInUse() {
        try (TcpBench server = TcpBench.server()) {
            String taken = "tcp://127.0.0.1:" + server.port();
            assertThatThrownBy(
                            () ->
                                    Bmi.builder()
                                            .listen(taken)
                                            .knob("tcp.bindSpecific", "true")
                                            .open())
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EADDRINUSE));
        }
    }

    @Test
    void theLargestUnexpectedMessageFitsItsMemory() {
        String most = Integer.toString(64 << 10);
        try (TcpBench server =
                        TcpBench.server(
                                "tcp.unexpectedBytes", most, "tcp.maxUnexpectedBytes", most);
                TcpBench client = TcpBench.client("tcp.maxUnexpectedBytes", most)) {
            PeerAddress peer = client.lookup(server.port());
            for (int i = 0; i < 2; i++) {
                MemorySegment message = client.pattern(64 << 10, i);
                client.context.postSendUnexpected(peer, message, i);
                Completions sent = Completions.ofCapacity(1);
                UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
                TcpBench.eventually(
                        () -> {
                            client.context.testContext(sent, 0);
                            return server.bmi.testUnexpected(messages, 1) == 1;
                        },
                        "the message");
                TcpBench.expectPattern(messages.payload(0), 64 << 10, i);
                messages.free(0);
            }
        }
        doesNotFit("65537", "65536");
        doesNotFit("70001", "70001"); // the memory consists of whole blocks
    }

    private static void doesNotFit(String messageBytes, String memoryBytes) {
        assertThatThrownBy(
                        () ->
                                TcpBench.server(
                                                "tcp.maxUnexpectedBytes", messageBytes,
                                                "tcp.unexpectedBytes", memoryBytes)
                                        .close())
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContaining("tcp.maxUnexpectedBytes (" + messageBytes + ")")
                .hasMessageContaining("tcp.unexpectedBytes (" + memoryBytes + ")");
    }

    @Test
    void bindSpecific() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            assertThatThrownBy(() -> new Socket("127.0.0.2", server.port()).close())
                    .isInstanceOf(IOException.class);
        }
        try (TcpBench any = TcpBench.of(Bmi.builder().listen("tcp://127.0.0.1:0"))) {
            any.keep(new Socket("127.0.0.2", any.port()));
        }
    }

    @Test
    void untrustedAreClosedWithoutAByte() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            server.bmi.setOption(TcpOptions.TRUSTED_CONNECTIONS, "10.0.0.0/8");
            RawPeer stranger = server.raw();
            server.drive(50);
            assertThat(stranger.isClosed()).isTrue();
            assertThat(server.counter("tcp.refusedUntrusted")).isEqualTo(1);
            server.bmi.setOption(TcpOptions.TRUSTED_CONNECTIONS, "127.0.0.0/8");
            RawPeer friend = server.raw();
            friend.hello();
            server.meet();
            assertThatThrownBy(() -> server.bmi.setOption(TcpOptions.TRUSTED_CONNECTIONS, "x y"))
                    .isInstanceOf(BmiException.class);
        }
    }

    @Test
    void sourcePorts() throws IOException {
        int port = FreePort.find();
        try (TcpBench client = TcpBench.client("tcp.sourcePorts", port + "-" + port)) {
            ServerSocket listener = client.rawServer(0);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            long send = client.context.postSend(peer, client.buffer(1), 1);
            Socket accepted = client.keep(listener.accept());
            assertThat(accepted.getPort()).isEqualTo(port);
            assertThat(client.await(send)).isEqualTo(1);
        }
        assertThatThrownBy(() -> TcpBench.server("tcp.sourcePorts", "9-5"))
                .isInstanceOf(BmiException.class);
    }

    @Test
    void sourcePortsThatAnotherInstanceUsesForTheSameServerAreSkipped() throws IOException {
        int port = FreePort.find();
        String range = (port - 7) + "-" + port; // one of them may be in use
        try (TcpBench first = TcpBench.client("tcp.sourcePorts", range);
                TcpBench second = TcpBench.client("tcp.sourcePorts", range)) {
            ServerSocket listener = first.rawServer(0);
            for (TcpBench client : List.of(first, second)) {
                PeerAddress peer = client.lookup(listener.getLocalPort());
                long send = client.context.postSend(peer, client.buffer(1), 1);
                assertThat(client.await(send)).isEqualTo(1);
                client.keep(listener.accept());
            }
        }
    }

    @Test
    void serverWhoseNameHasNoAddressDoesNotListen() {
        TcpResolver resolver =
                (host, port) -> List.of(InetSocketAddress.createUnresolved(host, port));
        BmiBuilder builder =
                TcpBench.builder("tcp.bindSpecific", "true")
                        .attach(TcpResolver.class, resolver)
                        .listen("tcp://named:0");
        assertThatThrownBy(() -> TcpBench.of(builder).close())
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EHOSTNTFD));
    }

    @Test
    void bufferSizes() throws IOException {
        try (TcpBench client = TcpBench.client()) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            client.bmi.setOption(TcpOptions.SEND_BUFFER_BYTES, 4096);
            client.bmi.setOption(TcpOptions.RECEIVE_BUFFER_BYTES, 0);
            assertThatThrownBy(() -> client.bmi.setOption(TcpOptions.SEND_BUFFER_BYTES, -1))
                    .isInstanceOf(BmiException.class);
            // The default buffer takes it all, although nobody reads.
            long send = client.context.postSend(peer, client.buffer(150_000), 1);
            client.keep(listener.accept());
            client.drive(100);
            assertThat(client.isPendingQuietly(send)).isTrue();
        }
    }

    @Test
    void sendBufferIsChosenByPeer() throws IOException {
        InetSocketAddress here = new InetSocketAddress("127.0.0.1", 1);
        InetSocketAddress far = new InetSocketAddress("192.0.2.1", 2);
        InetSocketAddress own = new InetSocketAddress("192.0.2.1", 3);
        InetSocketAddress other = new InetSocketAddress("192.0.2.7", 4);
        assertThat(Sockets.isOfThisHost(here, here)).isTrue();
        assertThat(Sockets.isOfThisHost(own, far)).isTrue();
        assertThat(Sockets.isOfThisHost(other, far)).isFalse();
        assertThat(Sockets.isOfThisHost(null, far)).isFalse();
        assertThat(bufferOf(Map.of())).isNotEqualTo(bufferOf(Map.of("tcp.sendBufferBytes", "0")));
    }

    /** Small messages to a peer of this host that reads nothing pile up for a short while only. */
    @Test
    void smallMessagesPileUpForAShortWhileOnly() throws IOException {
        try (TcpBench client = TcpBench.client();
                ServerSocket listener = client.rawServer(0)) {
            PeerAddress peer = client.lookup(listener.getLocalPort());
            MemorySegment small = client.buffer(64);
            long first = client.context.postSendUnexpected(peer, small, 0);
            try (Socket silent = listener.accept()) {
                if (PostResult.isPending(first)) {
                    assertThat(client.await(first)).isEqualTo(64);
                }
                long smallBytes = 0;
                long pending = 0;
                while (pending == 0) {
                    long result = client.context.postSendUnexpected(peer, small, 1);
                    boolean isPending = PostResult.isPending(result);
                    pending = isPending && !isWritten(client, result) ? result : 0;
                    smallBytes += 64 + HEADER_BYTES;
                }
                assertThat(smallBytes).isLessThan(MOST_SMALL_BYTES);
                assertThat(silent.isClosed()).isFalse();
            }
        }
    }

    /** With the buffer for small messages it would be nine and more. */
    @Test
    void aLargeMessageTakesFewWrites() {
        try (TcpBench server = TcpBench.server();
                TcpBench client = TcpBench.client()) {
            PeerAddress up = client.lookup(server.port());
            long hello = client.context.postSendUnexpected(up, client.buffer(1), 0);
            if (PostResult.isPending(hello)) {
                client.await(hello);
            }
            PeerAddress back = server.meet();
            MemorySegment out = client.buffer(1 << 20);
            MemorySegment in = server.buffer(1 << 20);
            long before = client.counter("tcp.writes");
            for (int i = 0; i < LARGE_MESSAGES; i++) {
                long receive = server.context.postReceive(back, in, i);
                long send = client.context.postSend(up, out, i);
                Completions done = Completions.ofCapacity(1);
                boolean isSent = !PostResult.isPending(send);
                while (server.context.test(receive, done, 0) == 0) {
                    isSent = isSent || client.context.test(send, done, 0) == 1;
                }
                assertThat(isSent || client.await(send) == 1 << 20).isTrue();
            }
            long writes = client.counter("tcp.writes") - before;
            assertThat(writes / (double) LARGE_MESSAGES).isLessThan(6);
        }
    }

    /** Whether the socket takes a message that waits, now or within a moment. */
    private static boolean isWritten(TcpBench client, long id) {
        Completions done = Completions.ofCapacity(1);
        return client.context.test(id, done, 300) == 1;
    }

    /** The send buffer of a socket to a peer on this host, with the method's settings. */
    private static int bufferOf(Map<String, String> knobs) throws IOException {
        List<Knob<?>> all = new ArrayList<>(TcpKnobs.all());
        all.add(WaitPolicy.MODE);
        TcpSettings settings = new TcpSettings(Configuration.resolve(all, knobs));
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Sockets sockets = new Sockets(settings, selector, "");
            try (SocketChannel channel = sockets.open()) {
                channel.configureBlocking(true);
                channel.connect(listener.getLocalAddress());
                sockets.connected(channel);
                return channel.getOption(StandardSocketOptions.SO_SNDBUF);
            }
        }
    }

    @Test
    void silentConnectionsMakeRoom() throws IOException {
        try (TcpBench server = TcpBench.server("tcp.maxConnections", "8")) {
            List<RawPeer> silent = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                silent.add(server.raw());
            }
            server.drive(20);
            RawPeer late = server.raw();
            late.hello();
            server.meet();
            assertThat(server.counter("tcp.connections")).isLessThanOrEqualTo(8);
            assertThat(silent.getFirst().isClosed()).isTrue();
        }
    }

    @Test
    void aSilentConnectionIsClosedOnlyForOneThatIsTakenIn() throws IOException {
        try (TcpBench server = TcpBench.server("tcp.maxConnections", "2")) {
            RawPeer silent = server.raw();
            driveUntil(server, "tcp.accepted", 1);
            long acceptedNs = System.nanoTime();
            while (System.nanoTime() - acceptedNs < SILENT_NS) {
                server.drive(50);
            }
            server.raw().hello();
            server.meet();
            server.bmi.setOption(TcpOptions.TRUSTED_CONNECTIONS, "10.0.0.0/8");
            server.raw();
            driveUntil(server, "tcp.refusedUntrusted", 1);
            assertThat(server.counter("tcp.connections")).isEqualTo(2);
            server.bmi.setOption(TcpOptions.TRUSTED_CONNECTIONS, "");
            server.raw();
            driveUntil(server, "tcp.accepted", 3);
            assertThat(server.counter("tcp.connections")).isEqualTo(2);
            assertThat(silent.isClosed()).isTrue();
        }
    }

    private static void driveUntil(TcpBench server, String counter, long count) {
        TcpBench.eventually(
                () -> {
                    server.drive(1);
                    return server.counter(counter) == count;
                },
                counter);
    }

    @Test
    void rangeOfPeers() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            assertThat(peer.isInRange("tcp://127.0.0.*", -1)).isTrue();
            assertThat(peer.isInRange("tcp://10.0.0.0", 8)).isFalse();
            assertThat(server.bmi.reverseLookupUnexpected(peer)).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void ipv6() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.ofLiteral("::1"))) {
            assertThat(probe.getLocalPort()).isPositive();
        } catch (IOException e) {
            Assumptions.abort("This machine has no IPv6: " + e.getMessage());
        }
        try (TcpBench server =
                        TcpBench.of(
                                Bmi.builder()
                                        .listen("tcp://[::1]:0")
                                        .knob("tcp.bindSpecific", "true"));
                TcpBench client = TcpBench.client()) {
            PeerAddress peer = client.bmi.lookup("tcp://[::1]:" + server.port());
            long send = client.context.postSendUnexpected(peer, client.pattern(5, 1), 1);
            TcpBench.eventually(
                    () -> {
                        client.drive(1);
                        server.drive(1);
                        return server.counter("tcp.unexpectedAccepted") == 1;
                    },
                    "the message arrives");
            assertThat(client.await(send)).isEqualTo(5);
            PeerAddress back = server.meet();
            assertThat(back.isInRange("tcp://[::1]", 128)).isTrue();
        }
    }

    @Test
    void sendWithoutPort() {
        try (TcpBench client = TcpBench.client()) {
            PeerAddress peer = client.bmi.lookup("tcp://127.0.0.1");
            assertThat(client.context.postSend(peer, client.buffer(1), 1))
                    .isEqualTo(ErrorCode.EINVAL.negativeValue());
        }
    }
}
