package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.WaitReason;
import org.jbmi.zbmi.host.place.ErrorsFile;
import org.jbmi.zbmi.host.place.PendingOperations;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A daemon looked at from outside. */
@Timeout(120)
class InspectionTest {
    private static final int MANY = 100_000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir Path temporary;

    private static final class Answers implements PeerEvents {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void onEvent(Message message) {
            count.incrementAndGet();
        }

        @Override
        public void onBroken(String reason) {}
    }

    private static ClientLink link(DaemonSetup setup, PeerEvents events) {
        return new ShmClientLink(setup.attach(PeerRole.CLIENT, ShmClientLink.NAME), events);
    }

    private static void postReceives(ClientLink link, Answers answers, int count) {
        Message message = new Message();
        for (int i = 0; i < count; i++) {
            // A correlation of no call that waits: the answer comes as an event.
            ClientRequests.receive(
                    message, Long.MAX_VALUE - i, i, i, 10, 0, ClientRequests.NO_DATA_ROOM);
            assertThat(link.note(message, PATIENCE_NS)).isEqualTo(PeerChannel.OK);
            link.progress();
        }
        DaemonSetup.await(
                "all are registered",
                () -> {
                    link.progress();
                    return answers.count.get() == count;
                });
    }

    @Test
    void pendingOperationsAreShownHoweverManyThereAre() {
        try (DaemonSetup setup =
                new DaemonSetup(temporary, "zbmi.maxClientOperations", MANY + "")) {
            Answers answers = new Answers();
            postReceives(link(setup, answers), answers, MANY);
            BitSet tags = new BitSet();
            int said =
                    PendingOperations.forEach(
                            setup.daemon().directory(),
                            p -> {
                                assertThat(p.clientPid()).isEqualTo(ProcessHandle.current().pid());
                                assertThat(p.reason()).isEqualTo(WaitReason.NO_SERVER);
                                assertThat(p.isOfServer() || p.isSend()).isFalse();
                                assertThat(p.bytes()).isEqualTo(10);
                                tags.set(p.tag());
                            });
            assertThat(said).isEqualTo(MANY);
            assertThat(tags.cardinality()).isEqualTo(MANY);
            setup.server();
            List<WaitReason> reasons = new ArrayList<>();
            PendingOperations.forEach(setup.daemon().directory(), p -> reasons.add(p.reason()));
            assertThat(reasons).hasSize(MANY).containsOnly(WaitReason.NO_SEND);
            assertThat(setup.count("zbmi.faults")).isZero();
        }
    }

    @Test
    void anInspectorThatDoesNotReadOrAsksTooFastIsCutOffAndHurtsNobody() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            Answers answers = new Answers();
            postReceives(link(setup, answers), answers, 1000);
            ByteBuffer question = HandshakeCodec.encode(new AskOperations(0));
            try (SocketChannel greedy =
                    SocketChannel.open(
                            UnixDomainSocketAddress.of(setup.daemon().directory().socket()))) {
                greedy.configureBlocking(false);
                DaemonSetup.await(
                        "it is cut off",
                        () -> {
                            try {
                                greedy.write(question.duplicate());
                                return false;
                            } catch (IOException e) {
                                return true;
                            }
                        });
            }
            assertThat(PendingOperations.forEach(setup.daemon().directory(), p -> {}))
                    .isEqualTo(1000);
            assertThat(setup.client().welcome().session()).isEqualTo(2);
        }
    }

    @Test
    void pagesFromAnywhereAreAnswered() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary);
                SocketChannel channel =
                        SocketChannel.open(
                                UnixDomainSocketAddress.of(setup.daemon().directory().socket()))) {
            for (int slot : new int[] {0, 1, 77_777, Integer.MAX_VALUE}) {
                channel.write(HandshakeCodec.encode(new AskOperations(slot)));
                ByteBuffer answer = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
                while (answer.position() < 16 + 20) {
                    assertThat(channel.read(answer)).isPositive();
                }
                assertThat(HandshakeCodec.decode(answer.flip()).toString())
                        .contains("nextSlot=-1")
                        .contains("pending=0");
            }
        }
    }

    @Test
    void errorsAreReadFromOutside() throws IOException {
        Path file;
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            file = setup.daemon().directory().errors();
            try (SocketChannel stranger =
                    SocketChannel.open(
                            UnixDomainSocketAddress.of(setup.daemon().directory().socket()))) {
                stranger.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes()));
                DaemonSetup.await("it is told", () -> !ErrorsFile.read(file).isEmpty());
            }
            assertThat(ErrorsFile.read(file)).isEqualTo(setup.daemon().errors());
            assertThat(ErrorsFile.read(file).getFirst().text()).contains("protocol");
        }
        assertThat(file).doesNotExist();
    }
}
