package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.daemon.ClientRequest;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.socket.LinkAddress;
import org.jbmi.zbmi.socket.LinkFrame;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jbmi.zbmi.socket.LinkSettings;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Who gets in at a gateway, and that those who send nonsense hurt nobody. */
@Timeout(120)
class GatewayTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int GARBAGE_ROUNDS = 200;

    @TempDir private Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private ZbmiDaemon daemon;

    private static final class Events implements PeerEvents {
        private volatile String broken;

        @Override
        public void onEvent(Message message) {}

        @Override
        public void onBroken(String reason) {
            broken = reason;
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        assertThat(socketFile()).doesNotExist();
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

    private void startUnix(String... more) {
        String[] knobs = Arrays.copyOf(new String[] {"zbmi.gatewaySocket", null}, 2 + more.length);
        knobs[1] = socketFile().toString();
        System.arraycopy(more, 0, knobs, 2, more.length);
        start(knobs);
    }

    private AttachRequest request() {
        return ClientRequest.of(daemon, LONG_NS);
    }

    private ClientLink connect(String address, PeerEvents events) {
        return SocketClientLinks.connect(request(), address, events, LinkSettings.production());
    }

    private ClientLink connect(String address) {
        return connect(address, new Events());
    }

    private String address() {
        return daemon.gatewayAddresses().getFirst();
    }

    private long count(String name) {
        var counter = daemon.counters().find("zbmi.gateway." + name);
        return counter == null ? -1 : counter.get();
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LONG_NS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            Thread.yield();
        }
    }

    // A call that the engine answers: the link works.
    private static void ask(ClientLink link) {
        Message message = new Message();
        ClientRequests.test(message, 0, 0);
        assertThat(link.call(message, message, LONG_NS)).isEqualTo(1);
    }

    @Test
    void withoutKnobsThereIsNone() {
        start();
        assertThat(daemon.gatewayAddresses()).isEmpty();
    }

    @Test
    void ownUserIsServedOnTheUnixSocket() {
        startUnix();
        try (ClientLink link = connect(address())) {
            ask(link);
            await("the client is counted", () -> count("connected") == 1);
        }
        await("the client is gone", () -> count("connected") == 0);
        await("its session as well", () -> attached() == 0);
        assertThat(count("evicted")).isZero();
    }

    /** In a container there may be no entry for the user; then Java calls it otherwise. */
    @Test
    void ownUserIsServedWhateverJavaCallsIt() {
        String name = System.getProperty("user.name");
        System.setProperty("user.name", "?");
        try {
            startUnix();
        } finally {
            System.setProperty("user.name", name);
        }
        try (ClientLink link = connect(address())) {
            ask(link);
        }
    }

    private long attached() {
        var counter = daemon.counters().find("zbmi.sessions.attached");
        return counter == null ? -1 : counter.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void tcpIsServedOnLoopback(String host) {
        start("zbmi.gatewayPort", "0", "zbmi.gatewayHost", host);
        assertThat(address()).doesNotEndWith(":0");
        try (ClientLink link = connect(address())) {
            ask(link);
        }
    }

    @Test
    void addressesThatAreNotAllowedAreRefusedInWords() {
        start("zbmi.gatewayPort", "0", "zbmi.gatewayAllow", "10.0.0.0/8");
        assertThatThrownBy(() -> connect(address()))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zbmi.gatewayAllow")
                .extracting("code")
                .isEqualTo(ErrorCode.EACCES);
        await("it is counted", () -> count("refused") == 1);
        assertThat(daemon.errors()).anyMatch(e -> e.text().contains("zbmi.gatewayAllow"));
    }

    // What the system says of a peer is put in other words: another user cannot be made here.
    @ParameterizedTest
    @ValueSource(strings = {"stranger", "friend"})
    void otherUsersGetInOnlyIfTheyAreNamed(String user) throws Exception {
        start();
        GatewaySettings settings =
                new GatewaySettings(
                        socketFile().toString(),
                        Set.of("friend"),
                        "",
                        -1,
                        AddressRanges.parse(""),
                        4,
                        LONG_NS,
                        LONG_NS);
        ErrorLog errors = new ErrorLog(text -> {});
        try (Gateway gateway =
                Gateway.open(settings, request(), errors, daemon.counters(), channel -> user)
                        .start()) {
            String address = gateway.addresses().getFirst();
            if (user.equals("friend")) {
                try (ClientLink link = connect(address)) {
                    ask(link);
                }
            } else {
                assertThatThrownBy(() -> connect(address))
                        .isInstanceOf(BmiException.class)
                        .hasMessageContaining("stranger")
                        .extracting("code")
                        .isEqualTo(ErrorCode.EACCES);
            }
        }
    }

    @Test
    void oneMoreThanThereIsRoomForIsRefusedInWords() {
        startUnix("zbmi.gatewayMaxClients", "1");
        try (ClientLink link = connect(address())) {
            ask(link);
            assertThatThrownBy(() -> connect(address()))
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("no room");
            ask(link);
        }
    }

    @Test
    void anotherVersionIsRefusedInWords() throws Exception {
        startUnix();
        ByteBuffer hello = LinkHandshake.hello(1);
        hello.order(ByteOrder.LITTLE_ENDIAN).putInt(8, 77);
        try (SocketChannel raw = SocketChannel.open(LinkAddress.parse(address()))) {
            raw.write(hello);
            assertRefused(raw, ErrorCode.EPROTO, "version 77");
        }
    }

    /** Otherwise they would fill the log, which names no other error then. */
    @Test
    void manyOtherVersionsAreOneError() throws Exception {
        startUnix();
        for (int version = 100; version < 130; version++) {
            ByteBuffer hello = LinkHandshake.hello(1);
            hello.order(ByteOrder.LITTLE_ENDIAN).putInt(8, version);
            try (SocketChannel raw = SocketChannel.open(LinkAddress.parse(address()))) {
                raw.write(hello);
                assertRefused(raw, ErrorCode.EPROTO, "version " + version);
            }
        }
        assertThat(daemon.errors())
                .singleElement()
                .satisfies(e -> assertThat(e.text()).contains("another version"))
                .satisfies(e -> assertThat(e.count()).isEqualTo(30));
    }

    // Until it hangs up.
    private static void assertRefused(SocketChannel raw, ErrorCode code, String what)
            throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
        while (raw.read(answer) >= 0) {
            assertThat(answer.hasRemaining()).isTrue();
        }
        assertThatThrownBy(() -> LinkHandshake.readAnswer(answer.flip()))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(what)
                .extracting("code")
                .isEqualTo(code);
    }

    @Test
    void whoSaysNothingIsClosed() throws Exception {
        startUnix("zbmi.handshakeTimeoutMs", "100");
        try (SocketChannel raw = SocketChannel.open(LinkAddress.parse(address()))) {
            assertRefused(raw, ErrorCode.ETIMEDOUT, "introduce itself");
        }
        assertThat(count("refused")).isEqualTo(1);
    }

    @Test
    void garbageHurtsNobody() throws Exception {
        startUnix();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Events events = new Events();
        try (ClientLink innocent = connect(address(), events)) {
            for (int i = 0; i < GARBAGE_ROUNDS; i++) {
                attack(random);
                ask(innocent);
            }
            assertThat(events.broken).as("seed %d", seed).isNull();
        }
        await("all are gone", () -> count("connected") == 0);
        await("and their sessions", () -> attached() == 0);
        assertThat(daemon.isHealthy()).isTrue();
    }

    private void attack(Random random) throws IOException {
        try (SocketChannel raw = SocketChannel.open(LinkAddress.parse(address()))) {
            boolean greets = random.nextInt(4) != 0;
            if (greets) {
                raw.write(LinkHandshake.hello(random.nextLong()));
                ByteBuffer welcome = ByteBuffer.allocate(52);
                while (welcome.hasRemaining() && raw.read(welcome) >= 0) {
                    // all of it
                }
            }
            int frames = random.nextInt(6);
            for (int i = 0; i < frames; i++) {
                raw.write(frame(random));
            }
        } catch (IOException e) {
            // Cut off in the middle of it, as it should be.
            assertThat(e.getMessage()).isNotNull();
        }
    }

    /** Right in most of its parts, so that the wrong one is met deep inside. */
    private static ByteBuffer frame(Random random) {
        int[] lengths = {16, 24, 40, 72, 136, 40 + random.nextInt(5000), random.nextInt()};
        int length = lengths[random.nextInt(lengths.length)];
        int sent = Math.clamp(length, 16, 6000) - (random.nextInt(8) == 0 ? 3 : 0);
        ByteBuffer frame = ByteBuffer.allocate(sent).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(length);
        frame.putInt(random.nextInt(20) == 0 ? random.nextInt() : 0x4c4d425a);
        frame.putInt(random.nextInt(20) == 0 ? random.nextInt() : LinkFrame.VERSION);
        if (frame.remaining() >= 4) {
            frame.putInt(random.nextInt(10) == 0 ? random.nextInt() : 4 + random.nextInt(9));
        }
        if (frame.remaining() >= 8) {
            frame.putLong(1 + random.nextInt(8) | (long) random.nextInt(14) << 16);
        }
        while (frame.remaining() >= 8) {
            frame.putLong(random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(8));
        }
        return frame.rewind();
    }

    @Test
    void aFloodThatIsNotReadIsHeldBackAndAnsweredWhenItIsRead() throws Exception {
        startUnix("zbmi.maxClientOperations", "16");
        try (ClientLink innocent = connect(address());
                SocketChannel raw = SocketChannel.open(LinkAddress.parse(address()))) {
            raw.write(LinkHandshake.hello(1));
            ByteBuffer welcome = ByteBuffer.allocate(52);
            while (welcome.hasRemaining()) {
                assertThat(raw.read(welcome)).isPositive();
            }
            raw.configureBlocking(false);
            ByteBuffer test = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
            test.putInt(40).putInt(0x4c4d425a).putInt(LinkFrame.VERSION).putInt(5);
            test.putLong(ClientRequests.TEST | 2L << 16).putLong(5).putLong(0).flip();
            long frames = 0;
            int full = 0;
            while (full < 50) {
                raw.write(test);
                full = test.hasRemaining() ? full + 1 : 0;
                if (full == 0) {
                    test.rewind();
                    frames++;
                }
                if (full > 0 || frames % 32 == 0) {
                    ask(innocent); // the lane takes what has come, and is never full
                }
                assertThat(frames)
                        .as("frames taken from one that reads nothing")
                        .isLessThan(1 << 20);
            }
            assertAnswered(raw, test, frames + 1);
            ask(innocent);
        }
    }

    // Reads all replies, and finishes the last frame.
    private static void assertAnswered(SocketChannel raw, ByteBuffer rest, long frames)
            throws IOException {
        ByteBuffer in = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        long end = System.nanoTime() + LONG_NS;
        long replies = 0;
        while (replies < frames) {
            raw.write(rest);
            assertThat(raw.read(in)).as("replies %d of %d", replies, frames).isNotNegative();
            in.flip();
            while (in.remaining() >= Integer.BYTES && in.remaining() >= in.getInt(in.position())) {
                in.position(in.position() + in.getInt(in.position()));
                replies++;
            }
            in.compact();
            assertThat(System.nanoTime() - end).isNegative();
        }
    }

    @Test
    void aSocketThatADeadDaemonLeftIsReplacedAndALiveOneIsNot() throws Exception {
        Path stale = socketFile();
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(LinkAddress.parse(stale.toString()));
            assertThatThrownBy(this::startUnix)
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("already");
        }
        assertThat(stale).exists();
        startUnix();
        try (ClientLink link = connect(address())) {
            ask(link);
        }
        daemon.close();
        Files.writeString(stale, "a file of somebody's");
        assertThatThrownBy(this::startUnix)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("is no socket: remove it");
        assertThat(stale).hasContent("a file of somebody's");
        Files.delete(stale);
        // To connect to it is refused, as if it were a socket without a listener.
        assertThat(new ProcessBuilder("mkfifo", stale.toString()).start().waitFor()).isZero();
        assertThatThrownBy(this::startUnix)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("is no socket: remove it");
        assertThat(stale).exists();
        Files.delete(stale);
    }
}
