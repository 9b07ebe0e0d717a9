package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.PacketLink;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Packets between a process and the server's node. */
@Timeout(60)
class PacketsTest {
    private static final int UNREACHABLE = 3;
    private static final int PROTOCOL = 2;
    private static final int PROHIBITED = 13;
    private static final int TYPE_AT = 20;

    @TempDir Path folder;

    /** A header, then what it carries; the sums are those of the original specification. */
    private static byte[] packet(byte[] source, byte[] destination, int protocol, byte[] payload) {
        ByteBuffer out = ByteBuffer.allocate(TYPE_AT + payload.length);
        out.put((byte) 0x45).put((byte) 0).putShort((short) out.capacity()).putInt(0);
        out.put((byte) 9).put((byte) protocol).putShort((short) 0).put(source).put(destination);
        out.put(payload);
        return sum(out, 10, 0, TYPE_AT);
    }

    private static byte[] sum(ByteBuffer bytes, int at, int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i += 2) {
            sum += Short.toUnsignedInt(bytes.getShort(i));
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        bytes.putShort(at, (short) ~((sum & 0xffff) + (sum >>> 16)));
        return bytes.array();
    }

    private static byte[] echo() {
        ByteBuffer echo = ByteBuffer.allocate(16);
        echo.put((byte) 8).put((byte) 0).putShort((short) 0).putInt(0x12340001).putLong(99);
        return sum(echo, 2, 0, 16);
    }

    private static byte[] receive(PacketLink link) {
        byte[] packet = link.receive(DaemonSetup.SOON);
        assertThat(packet).isNotNull();
        return packet;
    }

    @Test
    void theNodeAnswersAndTheCountersMove() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE);
                PacketLink link = zoid.packets()) {
            byte[] me = link.address().getAddress();
            assertThat(link.receive(Duration.ofMillis(1))).isNull();
            for (int i = 0; i < 3; i++) {
                link.send(packet(me, link.node().getAddress(), 1, echo()));
                byte[] answer = receive(link);
                assertThat(answer).hasSize(TYPE_AT + 16);
                assertThat(answer[TYPE_AT]).isZero();
                assertThat(ByteBuffer.wrap(answer).getLong(TYPE_AT + 8)).isEqualTo(99);
            }
            Statistics.Part part = setup.daemon.statistics().parts().getFirst();
            assertThat(part)
                    .isEqualTo(new Statistics.Part("IP fwd", true, 3, 3 * 36, 3, 3 * 36, 0));
            assertThatThrownBy(() -> link.send(new byte[1501]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("A packet has 1500 bytes at most, and not 1501.");
        }
    }

    /** Its request stays with the server, which answers it with the next packets. */
    @Test
    void noPacketIsLostToAnInterruptedWait() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE);
                PacketLink link = zoid.packets()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> link.receive(DaemonSetup.SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EINTR));
            assertThat(Thread.interrupted()).isTrue();
            link.send(packet(link.address().getAddress(), link.node().getAddress(), 1, echo()));
            assertThat(receive(link)).hasSize(TYPE_AT + 16);
        } finally {
            Thread.interrupted();
        }
    }

    private static int answerFromOutside(Zoid zoid) {
        try (PacketLink link = zoid.packets()) {
            byte[] outside = {(byte) 192, 0, 2, 9}; // nobody's; a connection is not translated
            link.send(packet(link.address().getAddress(), outside, 6, new byte[20]));
            byte[] answer = receive(link);
            assertThat(answer[TYPE_AT]).isEqualTo((byte) UNREACHABLE);
            return answer[TYPE_AT + 1];
        }
    }

    /** By the server's option, or by a variable of the job. */
    @Test
    void packetsLeaveTheNodeOnlyWhereThatIsWanted() {
        ZoidSettings usual = ZoidSettings.defaults();
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, usual)) {
            try (Zoid zoid = setup.client(Launch.NONE)) {
                assertThat(answerFromOutside(zoid)).isEqualTo(PROHIBITED);
            }
            for (String wish : List.of("ZOID_ENABLE_NAT=0", "ZOID_ENABLE_NAT=1")) {
                JobWords.In words =
                        new JobWords.In(wish, 7, 1, 0, "program", List.of(), List.of(wish));
                var job =
                        setup.call(
                                Names.JOB,
                                JobWords_InCodec.INSTANCE,
                                JobWords_OutCodec.INSTANCE,
                                JobWords.Out.class,
                                words);
                setup.call(
                                Names.JOB_START,
                                JobWords_NameCodec.INSTANCE,
                                JobWords_AnswerCodec.INSTANCE,
                                JobWords.Answer.class,
                                words.name())
                        .await(DaemonSetup.SOON);
                try (Zoid rank = setup.client(new Launch(0, 1, wish))) {
                    assertThat(answerFromOutside(rank))
                            .isEqualTo(wish.endsWith("1") ? PROTOCOL : PROHIBITED);
                }
                job.cancel();
            }
        }
        try (DaemonSetup setup =
                        DaemonSetup.of("loopback", folder, usual.withHooks(null, null, true));
                Zoid zoid = setup.client(Launch.NONE)) {
            assertThat(answerFromOutside(zoid)).isEqualTo(PROTOCOL);
        }
    }

    /** Whoever reaches the port would reach what listens on the server's node only. */
    @Test
    void overTcpThereAreNone() {
        try (DaemonSetup setup = DaemonSetup.of("tcp", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE)) {
            assertThatThrownBy(zoid::packets)
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e -> assertThat(e.error()).isEqualTo(ZoidError.EACCES));
        }
    }
}
