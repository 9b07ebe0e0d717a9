package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.socket.LinkAddress;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jbmi.zbmi.socket.LinkSettings;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Those who stand at a gateway's door, and have no right to be there, keep nobody out. */
@Timeout(120)
class GatewayDoorTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final String NOT_HERE = "10.0.0.0/8";

    @TempDir private Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private ZbmiDaemon daemon;

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private Path socketFile() {
        return directory.resolve("gateway.sock");
    }

    private void start(String... knobs) {
        ZbmiDaemon.Builder builder =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.totalBytes", "4m");
        for (int i = 0; i < knobs.length; i += 2) {
            builder.knob(knobs[i], knobs[i + 1]);
        }
        daemon = builder.start();
        open.push(daemon);
    }

    private AttachRequest request(Liveness liveness) {
        return new AttachRequest(
                daemon.directory().socket(),
                PeerRole.CLIENT,
                "shm",
                LONG_NS,
                new FutexWaiting(),
                NanoClock.SYSTEM,
                liveness);
    }

    private static final class Events implements PeerEvents {
        @Override
        public void onEvent(Message message) {}

        @Override
        public void onBroken(String reason) {}
    }

    private ClientLink connect(String address) {
        return SocketClientLinks.connect(
                request(new ProcessLiveness()), address, new Events(), LinkSettings.production());
    }

    private SocketChannel knock(String address) throws IOException {
        SocketChannel channel = SocketChannel.open(LinkAddress.parse(address));
        open.push(channel);
        return channel;
    }

    @Test
    void aSocketInAFolderThatIsNotThereIsNoAddressInUse() {
        String missing = directory.resolve("missing").resolve("socket").toString();
        assertThatThrownBy(() -> start("zbmi.gatewaySocket", missing))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(missing)
                .extracting("code")
                .isEqualTo(ErrorCode.EIO);
    }

    @Test
    void manyWhoSayNothingAndAreNotAllowedKeepNobodyOut() throws IOException {
        start(
                "zbmi.gatewaySocket",
                socketFile().toString(),
                "zbmi.gatewayPort",
                "0",
                "zbmi.gatewayAllow",
                NOT_HERE);
        for (int i = 0; i < 200; i++) {
            knock(daemon.gatewayAddresses().get(1));
        }
        connect(socketFile().toString()).close();
    }

    @Test
    void manyWhoSayNothingAndAreAllowedKeepNobodyOut() throws IOException {
        start("zbmi.gatewaySocket", socketFile().toString());
        for (int i = 0; i < 200; i++) {
            knock(socketFile().toString());
        }
        connect(socketFile().toString()).close();
        assertThat(daemon.errors()).anyMatch(e -> e.text().contains("too many connections"));
    }

    @Test
    void whoIsRefusedAndGoesOnSendingIsCutOffSoon() throws IOException {
        start("zbmi.gatewayPort", "0", "zbmi.gatewayAllow", NOT_HERE);
        SocketChannel refused = knock(daemon.gatewayAddresses().getFirst());
        ByteBuffer nonsense = ByteBuffer.allocateDirect(1 << 20);
        AtomicInteger sentMiB = new AtomicInteger();
        assertThatThrownBy(() -> send(refused, nonsense, sentMiB)).isInstanceOf(IOException.class);
        assertThat(sentMiB).as("what fits into the buffers of the system").hasValueLessThan(20);
    }

    private static void send(SocketChannel channel, ByteBuffer bytes, AtomicInteger sentMiB)
            throws IOException {
        while (sentMiB.get() < 100) {
            bytes.clear();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            sentMiB.incrementAndGet();
        }
    }

    @Test
    void anErrorWhileOneIsAttachedIsThatOnesAlone() throws IOException {
        start();
        AtomicInteger asked = new AtomicInteger();
        Liveness failing =
                new Liveness() {
                    private final Liveness real = new ProcessLiveness();

                    @Override
                    public boolean isAlive(long pid, long startTimeMs) {
                        return real.isAlive(pid, startTimeMs);
                    }

                    @Override
                    public long startTimeMs(long pid) {
                        if (asked.incrementAndGet() == 2) {
                            throw new OutOfMemoryError("played");
                        }
                        return real.startTimeMs(pid);
                    }
                };
        GatewaySettings settings =
                new GatewaySettings(
                        socketFile().toString(),
                        Set.of(),
                        "",
                        -1,
                        AddressRanges.parse(""),
                        4,
                        LONG_NS,
                        LONG_NS);
        ErrorLog errors = new ErrorLog(text -> {});
        String own = System.getProperty("user.name");
        try (Gateway gateway =
                        Gateway.open(
                                        settings,
                                        request(failing),
                                        errors,
                                        daemon.counters(),
                                        channel -> own)
                                .start();
                ClientLink first = connect(socketFile().toString())) {
            assertThatThrownBy(() -> connect(socketFile().toString()))
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("OutOfMemoryError")
                    .extracting("code")
                    .isEqualTo(ErrorCode.EIO);
            assertThat(errors.entries()).anyMatch(e -> e.text().contains("no session (EIO)"));
            connect(socketFile().toString()).close();
            assertThat(first.brokenReason()).isNull();
            assertThat(gateway.isHealthy()).isTrue();
        }
    }

    @Test
    void whoGetsNoSessionInTimeIsToldSoOnce() throws IOException {
        start();
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socketFile());
        AtomicLong nowNs = new AtomicLong();
        List<SteppedGateway.Waiting> waiting = new ArrayList<>();
        try (Selector selector = Selector.open();
                ServerSocketChannel listener =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address).configureBlocking(false);
            SteppedGateway gateway =
                    new SteppedGateway(
                            selector,
                            listener,
                            1,
                            LONG_NS,
                            LONG_NS,
                            nowNs::get,
                            new ErrorLog(text -> {}),
                            daemon.counters(),
                            waiting::add);
            SocketChannel client = SocketChannel.open(address);
            open.push(client);
            client.write(LinkHandshake.hello(1));
            while (waiting.isEmpty()) {
                turn(gateway, selector);
            }
            nowNs.set(100 * LONG_NS);
            turn(gateway, selector);
            gateway.refused(waiting.getFirst(), new BmiException(ErrorCode.EIO, "too late"));
            turn(gateway, selector);
            ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
            while (client.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
            assertThat(LinkHandshake.length(answer)).isEqualTo(answer.position());
            assertThatThrownBy(() -> LinkHandshake.readAnswer(answer.flip()))
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("no session in time")
                    .extracting("code")
                    .isEqualTo(ErrorCode.ETIMEDOUT);
        }
    }

    /** The system has no thread for the attacher, for example. */
    @Test
    void anErrorWhenOneIntroducesItselfIsThatOnesAlone() throws IOException {
        start();
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socketFile());
        List<SteppedGateway.Waiting> waiting = new ArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        try (Selector selector = Selector.open();
                ServerSocketChannel listener =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address).configureBlocking(false);
            SteppedGateway gateway =
                    new SteppedGateway(
                            selector,
                            listener,
                            1,
                            LONG_NS,
                            LONG_NS,
                            NanoClock.SYSTEM,
                            new ErrorLog(text -> {}),
                            daemon.counters(),
                            one -> {
                                if (asked.incrementAndGet() == 1) {
                                    throw new OutOfMemoryError("played");
                                }
                                waiting.add(one);
                            });
            SocketChannel first = greeted(address);
            while (asked.get() == 0) {
                assertThatCode(() -> turn(gateway, selector)).doesNotThrowAnyException();
            }
            assertThat(first.read(ByteBuffer.allocate(1))).as("cut off").isNegative();
            greeted(address);
            while (waiting.isEmpty()) {
                turn(gateway, selector);
            }
            assertThat(asked).hasValue(2);
        }
    }

    private SocketChannel greeted(UnixDomainSocketAddress address) throws IOException {
        SocketChannel client = SocketChannel.open(address);
        open.push(client);
        client.write(LinkHandshake.hello(1));
        return client;
    }

    private static void turn(SteppedGateway gateway, Selector selector) throws IOException {
        selector.wakeup();
        gateway.turn();
    }

    @Test
    void aSocketWhoseOwnerIsTooBusyToTakeAnybodyIsLeftAlone() throws IOException {
        List<SocketChannel> queue = new ArrayList<>();
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socketFile());
        try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(address, 1);
            boolean isFull = false;
            while (!isFull) {
                SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
                queue.add(next);
                next.configureBlocking(false);
                isFull = !connects(next, address);
            }
            assertThatThrownBy(() -> GatewayListener.unix(socketFile().toString()))
                    .isInstanceOf(BmiException.class)
                    .extracting("code")
                    .isEqualTo(ErrorCode.EBUSY);
            assertThat(socketFile()).exists();
        } finally {
            for (SocketChannel channel : queue) {
                channel.close();
            }
        }
    }

    private static boolean connects(SocketChannel channel, UnixDomainSocketAddress address) {
        try {
            return channel.connect(address);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void theSocketOfAnotherThatTookItsNameIsNotRemoved() throws IOException {
        GatewayListener listener = GatewayListener.unix(socketFile().toString());
        Files.delete(socketFile());
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socketFile()));
            listener.close();
            assertThat(socketFile()).exists();
        }
    }
}
