package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Whose the memory, the files and the directory are, wherever the engine runs. */
@Timeout(90)
class OwnershipTest {
    private static final int OTHER_VERSION = 77;
    private static final int VERSION_OFFSET = 8;
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private void begin(String host) {
        world.close();
        world = new ZoidWorld(host);
        world.startHost();
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded"})
    void aBlockStaysOutOfUseWhileAnEvictedClientLives(String host) throws Exception {
        begin(host);
        Pair pair = Pair.in(world);
        try (Children.Child mover = Children.start("mover", world)) {
            mover.says("hello");
            PeerAddress leaving = Pair.meet(pair.server());
            MemorySegment block = leaving.allocate(Children.BYTES);
            long receive = pair.serverContext().postReceive(leaving, block, Children.TAG);
            mover.says("claimed");
            mover.say("leave");
            mover.says("left");
            ZoidWorld.await(
                    "it is in quarantine",
                    20_000,
                    () -> world.hostCount("zbmi.sessions.quarantined") == 1);
            Completions done = Completions.ofCapacity(1);
            assertThat(pair.serverContext().test(receive, done, 300)).isZero();
            assertThatThrownBy(() -> pair.server().free(block))
                    .isInstanceOf(BmiException.class)
                    .extracting("code")
                    .isEqualTo(ErrorCode.EBUSY);
            assertThat(pair.serverContext().postReceive(leaving, block, 1)).isEqualTo(HOST_DOWN);
            pair.exchange(7, 100_000);
            mover.kill();
            assertThat(pair.serverContext().test(receive, done, 20_000)).isEqualTo(1);
            assertThat(done.outcome(0).negativeValue()).isEqualTo(HOST_DOWN);
            pair.server().free(block);
            ZoidWorld.await(
                    "its session is free",
                    20_000,
                    () -> world.hostCount("zbmi.sessions.quarantined") == 0);
        }
    }

    // It was stopped while its daemon died and was followed by another, with another server.
    @Test
    void aServerThatOutlivedItsDaemonLeavesTheFilesOfTheNextOneAlone() throws Exception {
        world.close();
        world = new ZoidWorld("direct");
        try (Children.Child daemon = Children.start("daemon", world);
                Children.Child old = Children.start("host", world)) {
            daemon.says("daemon.sock");
            old.says("ready");
            old.signal("STOP");
            daemon.kill();
            world.startDaemon();
            Pair pair = Pair.in(world);
            old.signal("CONT");
            old.process().getOutputStream().close();
            old.says("closed");
            for (String file : new String[] {"server.sock", "server.counters", "server.errors"}) {
                assertThat(Files.exists(world.runtime().resolve(file))).as(file).isTrue();
            }
            pair.exchange(1, 1000);
            Pair.of(pair.server(), pair.serverContext(), world.client()).exchange(2, 1000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded"})
    void aSecondDaemonIsRefusedInWordsAndSweepsNothing(String host) {
        begin(host);
        Pair pair = Pair.in(world);
        assertThatThrownBy(() -> world.startDaemon())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("runs in " + world.runtime() + " already")
                .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                .extracting("code")
                .isEqualTo(ErrorCode.EBUSY);
        pair.exchange(1, 1000);
        Pair.of(pair.server(), pair.serverContext(), world.client()).exchange(2, 1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded"})
    void aSecondServerIsRefusedInWords(String host) {
        begin(host);
        Pair pair = Pair.in(world);
        for (String second : new String[] {"daemon", "direct", "embedded", "auto"}) {
            assertThatThrownBy(() -> open(second))
                    .as(second)
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                    .extracting("code")
                    .isEqualTo(ErrorCode.EBUSY);
        }
        pair.exchange(1, 1000);
    }

    private void open(String host) {
        try (Bmi second =
                world.knobs(Bmi.builder()).knob("zoid.host", host).listen("zoid://").open()) {
            assertThat(second).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "daemon,daemon.sock",
        "direct,daemon.sock",
        "direct,server.sock",
        "embedded,daemon.sock"
    })
    void aPeerOfAnotherVersionIsRefusedInWords(String host, String socket) throws Exception {
        begin(host);
        Pair pair = Pair.in(world);
        ByteBuffer hello =
                HandshakeCodec.encode(
                        new Hello(PeerRole.CLIENT, ProcessHandle.current().pid(), 0, "shm"));
        hello.order(ByteOrder.LITTLE_ENDIAN).putInt(VERSION_OFFSET, OTHER_VERSION);
        ByteBuffer answer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
        try (SocketChannel peer =
                SocketChannel.open(UnixDomainSocketAddress.of(world.runtime().resolve(socket)))) {
            peer.write(hello);
            while (peer.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
        }
        answer.flip().order(ByteOrder.LITTLE_ENDIAN);
        assertThat(answer.getInt(VERSION_OFFSET)).as("in its own version").isEqualTo(OTHER_VERSION);
        assertThat(StandardCharsets.UTF_8.decode(answer).toString())
                .contains("A peer speaks version " + OTHER_VERSION);
        pair.exchange(1, 1000);
    }
}
