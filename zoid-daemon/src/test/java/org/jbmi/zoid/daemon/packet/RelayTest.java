package org.jbmi.zoid.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.wire.Packets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** The packets of one process, with real sockets; addresses outside are those of this host. */
@Timeout(60)
class RelayTest {
    private static final int PROCESS = 7;
    private static final int OUTSIDE = 0xc0000209;
    private static final int ME = 0x0a000008;

    /** An echo is asked for, by 10.0.0.8 of 10.0.0.1; written by other code than what is tested. */
    private static final String ECHO =
            "4500002500074000400126c90a0000080a000001080033351234000161626364" + "6566676821";

    private static final String REPLY =
            "4500002500000000400166d00a0000010a00000800003b351234000161626364" + "6566676821";

    /** From port 4000 to port 53 of 192.0.2.9. */
    private static final String UDP =
            "45000024000000004011aeb80a000008c00002090fa000350010692771756573" + "74696f6e";

    /** A connection to port 80 of 192.0.2.9 is wanted. */
    private static final String SYN =
            "45000028000000004006aebf0a000008c00002090fa100500000000100000000" + "5002040000000000";

    private static final String SYN_PROHIBITED =
            "4500003800000000400166bd0a0000010a000008030ded000000000045000028"
                    + "000000004006aebf0a000008c00002090fa1005000000001";

    private static final String SYN_PROTO =
            "4500003800000000400166bd0a0000010a0000080302ed0b0000000045000028"
                    + "000000004006aebf0a000008c00002090fa1005000000001";

    private static final String UDP_TTL1 =
            "45000024000000000111edb80a000008c00002090fa000350010692771756573" + "74696f6e";

    private static final String TTL =
            "4500003800000000400166bd0a0000010a0000080b007bf30000000045000024"
                    + "000000000111edb80a000008c00002090fa0003500106927";

    private final AtomicInteger asked = new AtomicInteger();

    @AutoClose private final Relay node = relay(false);

    @AutoClose private final Relay open = relay(true);

    private Relay relay(boolean translates) {
        return new Relay(
                PROCESS,
                translates,
                address -> {
                    asked.set(address);
                    return InetAddress.getLoopbackAddress();
                });
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String next(Relay relay) throws InterruptedException {
        List<Packets.Packet> packets = relay.fetch();
        assertThat(packets).hasSize(1);
        return HexFormat.of().formatHex(packets.getFirst().bytes());
    }

    @Test
    void theNodeAnswersAnEcho() throws Exception {
        assertThat(node.address()).isEqualTo(ME);
        node.take(bytes(ECHO));
        assertThat(next(node)).isEqualTo(REPLY);
    }

    @Test
    void whatMayNotLeaveIsSaidToBeProhibited() throws Exception {
        node.take(bytes(SYN));
        assertThat(next(node)).isEqualTo(SYN_PROHIBITED);
        node.take(bytes(UDP));
        assertThat(next(node)).contains("030d");
        assertThat(asked).hasValue(0);
    }

    @Test
    void onlyDatagramsLeaveAndNotWithoutHops() throws Exception {
        open.take(bytes(SYN));
        assertThat(next(open)).isEqualTo(SYN_PROTO);
        open.take(bytes(UDP_TTL1));
        assertThat(next(open)).isEqualTo(TTL);
    }

    /** Other processes, this host itself, and what is no one host. */
    @Test
    void nobodyInsideIsReachedByWayOfTheOutside() throws Exception {
        for (int to : new int[] {0x0a000009, 0x7f000001, 0xe0000001, 0xffffffff, 0}) {
            open.take(Ipv4.of(ME, to, new Ipv4.Datagram(1, 2, new byte[0])).bytes());
            assertThat(next(open)).contains("030d");
        }
        assertThat(asked).hasValue(0);
    }

    @Test
    void datagramsGoOutAndTheirAnswersComeBack() throws Exception {
        try (DatagramSocket peer =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            for (int destination : new int[] {OUTSIDE, Relay.NODE}) {
                Relay relay = destination == OUTSIDE ? open : node;
                byte[] question = "question".getBytes(StandardCharsets.UTF_8);
                relay.take(
                        Ipv4.of(
                                        ME,
                                        destination,
                                        new Ipv4.Datagram(4000, peer.getLocalPort(), question))
                                .bytes());
                DatagramPacket came = new DatagramPacket(new byte[2000], 2000);
                peer.receive(came);
                assertThat(new String(came.getData(), 0, came.getLength(), StandardCharsets.UTF_8))
                        .isEqualTo("question");
                byte[] answer = new byte[1400];
                new Random(5).nextBytes(answer);
                peer.send(new DatagramPacket(answer, answer.length, came.getSocketAddress()));
                Ipv4 packet = Objects.requireNonNull(Ipv4.parse(bytes(next(relay))));
                assertThat(packet.source()).isEqualTo(destination);
                assertThat(packet.destination()).isEqualTo(ME);
                Ipv4.Datagram datagram = Objects.requireNonNull(packet.datagram());
                assertThat(datagram.from()).isEqualTo(peer.getLocalPort());
                assertThat(datagram.to()).isEqualTo(4000);
                assertThat(datagram.content()).isEqualTo(answer);
            }
            assertThat(asked).hasValue(OUTSIDE);
        }
    }

    /** The system says so when the second one is sent, or before. */
    @Test
    void aPortThatNobodyHasIsSaid() throws Exception {
        int port;
        try (DatagramSocket gone =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            port = gone.getLocalPort();
        }
        byte[] packet = Ipv4.of(ME, Relay.NODE, new Ipv4.Datagram(9, port, new byte[1])).bytes();
        node.take(packet);
        assertThat(next(node)).contains("0303");
    }

    @Test
    void whatIsNoPacketOfTheProcessIsDropped() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] packet = bytes(i % 2 == 0 ? ECHO : UDP);
            int changed = random.nextInt(20); // the header, whose checksum is wrong then
            packet[changed] ^= (byte) (1 << random.nextInt(8));
            node.take(packet);
            byte[] noise = new byte[random.nextInt(1600)];
            random.nextBytes(noise);
            node.take(noise);
        }
        // One of the process would be told that it may not leave.
        node.take(Ipv4.of(ME + 1, OUTSIDE, new Ipv4.Datagram(1, 2, new byte[0])).bytes());
        node.take(bytes(ECHO));
        assertThat(next(node)).isEqualTo(REPLY);
    }

    /** Who does not fetch loses packets; nothing grows. */
    @Test
    void aProcessThatFetchesNothingFillsNothing() throws Exception {
        for (int i = 0; i < 100_000; i++) {
            open.take(bytes(ECHO));
        }
        int kept = 0;
        for (List<?> some = open.fetch(); some.size() == 32; some = open.fetch()) {
            kept += some.size();
            if (kept == 256) {
                break;
            }
        }
        assertThat(kept).isEqualTo(256);
        open.take(bytes(SYN));
        assertThat(next(open)).isEqualTo(SYN_PROTO);
        open.close();
        assertThat(open.fetch()).isEmpty();
    }
}
