package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.DirectHosting;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class SessionsTest {
    private static final Configuration KNOBS = Configuration.resolve(HostKnobs.all(), Map.of());

    @TempDir Path temporary;

    private static ErrorCode codeOf(Throwable thrown) {
        return ((BmiException) thrown).code();
    }

    private static SocketChannel connect(DaemonSetup setup) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(setup.daemon().directory().socket()));
    }

    private static boolean isHungUp(SocketChannel channel) throws IOException {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
            int count = channel.read(buffer);
            while (count > 0) {
                count = channel.read(buffer.clear());
            }
            return count < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aWelcomeTellsEverything() {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment client = setup.client();
            assertThat(client.welcome().geometry().totalBytes()).isEqualTo(4L << 20);
            assertThat(client.welcome().geometry().unexpectedBytes()).isEqualTo(1L << 20);
            assertThat(client.welcome().limits().maxUnexpectedBytes()).isEqualTo(8192);
            assertThat(client.welcome().daemonPid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(setup.server().welcome().session()).isZero();
            DaemonSetup.await("two sessions", () -> setup.count("zbmi.sessions.attached") == 2);
        }
    }

    @Test
    void aSecondServerIsRefusedByName() {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment first = setup.server();
            assertThatThrownBy(setup::server)
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EBUSY));
            first.close();
            DaemonSetup.await("it is gone", () -> setup.count("zbmi.sessions.attached") == 0);
            assertThat(setup.server().welcome().session()).isZero();
        }
    }

    /** A server that was stopped while its daemon ended, and another one came. */
    @Test
    void aDirectServerWhoseDaemonHasEndedTakesNoPlace() throws IOException {
        try (DaemonSetup first = new DaemonSetup(temporary)) {
            PeerAttachment late = first.attach(PeerRole.SERVER, DirectHosting.TRANSPORT);
            first.daemon().close();
            try (DaemonSetup second = new DaemonSetup(temporary)) {
                RuntimeDirectory directory = second.daemon().directory();
                PeerAttachment loan = second.attach(PeerRole.SERVER, DirectHosting.TRANSPORT);
                try (DirectHosting server = DirectHosting.lent(directory, KNOBS, loan)) {
                    Object socket = key(directory.serverSocket());
                    Object counters = key(directory.serverCounters());
                    assertThatThrownBy(() -> DirectHosting.lent(directory, KNOBS, late).close())
                            .isInstanceOf(BmiException.class)
                            .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENETDOWN));
                    assertThat(key(directory.serverSocket())).isEqualTo(socket);
                    assertThat(key(directory.serverCounters())).isEqualTo(counters);
                    assertThat(server.view().welcome().session()).isZero();
                }
            }
        }
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Its process lives, so it must say that it has given up. */
    @ParameterizedTest
    @ValueSource(strings = {"ring", "direct"})
    void aServerThatGivesUpAfterItsHelloKeepsNoOtherOut(String transport) {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            AtomicBoolean hasGivenUp = new AtomicBoolean();
            while (!hasGivenUp.get()) { // an answer may come before it looks
                try (PeerAttachment early = setup.attach(PeerRole.SERVER, transport, () -> true)) {
                    assertThat(early.welcome().session()).isZero();
                } catch (BmiException e) {
                    hasGivenUp.set(e.code() == ErrorCode.ECANCEL);
                }
            }
            DaemonSetup.await("another server has a session", () -> isAttached(setup, transport));
        }
    }

    private static boolean isAttached(DaemonSetup setup, String transport) {
        try {
            return setup.attach(PeerRole.SERVER, transport).welcome().session() == 0;
        } catch (BmiException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.EBUSY);
            return false;
        }
    }

    @Test
    void oneClientTooManyIsRefused() {
        try (DaemonSetup setup = new DaemonSetup(temporary, "zbmi.maxClients", "2")) {
            PeerAttachment one = setup.client();
            setup.client();
            assertThatThrownBy(setup::client)
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENOBUFS));
            one.close();
            DaemonSetup.await("it is gone", () -> setup.count("zbmi.sessions.attached") == 1);
            PeerAttachment next = setup.client();
            assertThat(next.welcome().session()).isEqualTo(1);
            assertThat(next.welcome().generation()).isGreaterThan(one.welcome().generation());
        }
    }

    @Test
    void anUnknownTransportIsRefused() {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            assertThatThrownBy(() -> setup.attach(PeerRole.CLIENT, "pigeon"))
                    .hasMessageContaining("pigeon")
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EPROTONOSUPPORT));
        }
    }

    /** Otherwise they would fill the log, which names no other error then. */
    @Test
    void whatPeersMakeUpIsNotRecorded() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            for (int i = 0; i < 30; i++) {
                String transport = "pigeon" + i;
                assertThatThrownBy(() -> setup.attach(PeerRole.CLIENT, transport))
                        .hasMessageContaining(transport);
                try (SocketChannel other = connect(setup)) {
                    ByteBuffer hello = HandshakeCodec.encode(new Goodbye(false));
                    other.write(hello.order(ByteOrder.LITTLE_ENDIAN).putInt(8, 1000 + i));
                    assertThat(isHungUp(other)).isTrue();
                }
            }
            assertThat(setup.daemon().errors())
                    .extracting(ErrorLog.Entry::text)
                    .hasSize(2)
                    .anyMatch(text -> text.contains("transport"))
                    .anyMatch(text -> text.contains("another version"));
        }
    }

    @Test
    void aSilentConnectorIsClosed() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary, "zbmi.handshakeTimeoutMs", "100");
                SocketChannel silent = connect(setup)) {
            assertThat(isHungUp(silent)).isTrue();
            // On a busy machine a client may be silent for too long itself.
            DaemonSetup.await("a client gets the first session", () -> sessionOf(setup) == 1);
        }
    }

    @Test
    void connectorsAreBoundedInNumber() throws IOException {
        List<SocketChannel> many = new ArrayList<>();
        try (DaemonSetup setup = new DaemonSetup(temporary, "zbmi.maxClients", "1")) {
            for (int i = 0; i < 40; i++) {
                many.add(connect(setup));
            }
            DaemonSetup.await(
                    "some are refused", () -> setup.count("zbmi.sessions.refused") >= 40 - 18);
            for (SocketChannel channel : many) {
                channel.close();
            }
            DaemonSetup.await("there is room again", () -> sessionOf(setup) > 0);
        }
    }

    /** The session of a new client, 0 if it gets none. */
    private static int sessionOf(DaemonSetup setup) {
        try {
            return setup.client().welcome().session();
        } catch (BmiException e) {
            return 0;
        }
    }

    @Test
    void nonsenseIsHungUpOnAndHurtsNobody() throws IOException {
        long seed = System.nanoTime();
        System.out.println("SessionsTest seed " + seed);
        Random random = new Random(seed);
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment good = setup.client();
            for (int i = 0; i < 30; i++) {
                try (SocketChannel bad = connect(setup)) {
                    byte[] bytes = new byte[8 + random.nextInt(2000)];
                    random.nextBytes(bytes);
                    if (i % 2 == 0) {
                        bytes[0] = (byte) bytes.length;
                        bytes[1] = (byte) (bytes.length >> 8);
                        bytes[2] = 0;
                        bytes[3] = 0;
                    }
                    bad.write(ByteBuffer.wrap(bytes));
                    bad.shutdownOutput();
                    assertThat(isHungUp(bad)).isTrue();
                }
            }
            assertThat(good.socket().isConnected()).isTrue();
            assertThat(setup.client().welcome().session()).isEqualTo(2);
            assertThat(setup.daemon().isHealthy()).isTrue();
        }
    }

    @Test
    void aGoodbyeWithoutHelloAndASecondHelloEndTheConnection() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary);
                SocketChannel early = connect(setup);
                SocketChannel twice = connect(setup)) {
            early.write(HandshakeCodec.encode(new Goodbye(false)));
            assertThat(isHungUp(early)).isTrue();
            long pid = ProcessHandle.current().pid();
            Hello hello =
                    new Hello(PeerRole.CLIENT, pid, new ProcessLiveness().startTimeMs(pid), "shm");
            twice.write(HandshakeCodec.encode(hello));
            twice.write(HandshakeCodec.encode(hello));
            assertThat(isHungUp(twice)).isTrue();
        }
    }

    @Test
    void aPeerThatNamesAnotherLiveProcessIsRefusedInWords() throws IOException {
        ProcessHandle other = ProcessHandle.current().parent().orElseThrow();
        long startMs = new ProcessLiveness().startTimeMs(other.pid());
        try (DaemonSetup setup = new DaemonSetup(temporary);
                SocketChannel liar = connect(setup)) {
            liar.write(
                    HandshakeCodec.encode(new Hello(PeerRole.CLIENT, other.pid(), startMs, "shm")));
            ByteBuffer answer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
            while (HandshakeCodec.frameLength(answer.duplicate().flip()) < 0
                    || answer.position() < HandshakeCodec.frameLength(answer.duplicate().flip())) {
                assertThat(liar.read(answer)).isPositive();
            }
            assertThat(HandshakeCodec.decode(answer.flip()))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            r -> assertThat(r.sentence()).contains("another process"));
            assertThat(isHungUp(liar)).isTrue();
        }
    }

    @Test
    void aProcessThatIsNotThereIsRefused() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary);
                SocketChannel liar = connect(setup)) {
            liar.write(
                    HandshakeCodec.encode(new Hello(PeerRole.CLIENT, 999_999_999, 12_345, "shm")));
            ByteBuffer answer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
            while (HandshakeCodec.frameLength(answer.duplicate().flip()) < 0
                    || answer.position() < HandshakeCodec.frameLength(answer.duplicate().flip())) {
                assertThat(liar.read(answer)).isPositive();
            }
            assertThat(HandshakeCodec.decode(answer.flip())).isInstanceOf(Refused.class);
            assertThat(isHungUp(liar)).isTrue();
        }
    }

    @Test
    void aCorruptLaneEndsItsOwnSessionOnly() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment good = setup.client();
            PeerAttachment bad = setup.client();
            breakLane(bad);
            DaemonSetup.await("it is evicted", () -> setup.count("zbmi.sessions.evictions") == 1);
            bad.socket().configureBlocking(true);
            assertThat(isHungUp(bad.socket())).isTrue();
            assertThat(good.socket().read(ByteBuffer.allocate(1))).isZero();
            assertThat(setup.daemon().errors().toString()).contains("lane");
        }
    }

    private static void breakLane(PeerAttachment bad) {
        SessionArea area = bad.map().session(bad.welcome().session());
        long stamp = (long) bad.welcome().generation() << Integer.SIZE;
        bad.memory().setLongRelease(area.towardEngineOffset(), stamp | 77);
        bad.memory().setIntVolatile(area.armedOffset(), 0);
        bad.memory().getAndOrLong(bad.map().doorbellOffset(0), 1L << area.session());
        bad.memory().setIntVolatile(bad.map().engineSleepWordOffset(), 0);
    }

    /** It lives, so its process proves nothing. */
    @Test
    void aPeerThatWasEvictedFreesItsSessionByItsGoodbye() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary, "zbmi.maxClients", "1")) {
            for (int i = 1; i <= 3; i++) {
                PeerAttachment bad = setup.client();
                assertThat(bad.welcome().session()).isEqualTo(1);
                breakLane(bad);
                awaitQuarantine(setup, 1);
                bad.socket().configureBlocking(true);
                assertThat(isHungUp(bad.socket())).isTrue();
                assertThatThrownBy(setup::client)
                        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENOBUFS));
                assertThat(bad.leave()).as("somebody to say goodbye to").isTrue();
                awaitQuarantine(setup, 0);
                assertThat(setup.count("zbmi.sessions.evictions")).isEqualTo(i);
            }
            assertThat(setup.count("zbmi.sessions.deaths")).isZero();
        }
    }

    @Test
    void aPeerThatWasEvictedAndVanishesStaysInQuarantineWhileItsProcessLives() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment bad = setup.client();
            breakLane(bad);
            awaitQuarantine(setup, 1);
            bad.socket().close();
            PeerAttachment next =
                    setup.client(); // which the daemon takes after the end of the other
            assertThat(next.welcome().session()).isEqualTo(2);
            assertThat(setup.count("zbmi.sessions.quarantined")).isEqualTo(1);
        }
    }

    private static void awaitQuarantine(DaemonSetup setup, int sessions) {
        DaemonSetup.await(
                sessions + " in quarantine",
                () -> setup.count("zbmi.sessions.quarantined") == sessions);
    }

    @Test
    void whatAPeerThatVanishedHadStaysOutOfUseWhileItsProcessLives() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            PeerAttachment vanishing = setup.client();
            vanishing.socket().close();
            DaemonSetup.await("quarantine", () -> setup.count("zbmi.sessions.quarantined") == 1);
            // The process is this one, so it is not proved dead, and its session is not given away.
            assertThat(setup.client().welcome().session()).isEqualTo(2);
        }
    }

    @Test
    void countersAreReadFromOutside() {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            setup.client();
            // What was sent is counted when it is on its way, so the client may be here before.
            DaemonSetup.await("it is counted", () -> report(setup).total().messagesSent() == 1);
            StatReport report = report(setup);
            assertThat(report.total().messagesReceived()).isEqualTo(1);
            assertThat(report.format()).contains("Plugin 6 messages sent:         0\n");
        }
    }

    private static StatReport report(DaemonSetup setup) {
        return StatReport.read(setup.daemon().directory());
    }
}
