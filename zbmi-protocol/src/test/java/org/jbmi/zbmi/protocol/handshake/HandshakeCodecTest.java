package org.jbmi.zbmi.protocol.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

@Timeout(30)
class HandshakeCodecTest {
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(128, 128, 1024, 16, 1024, 1 << 20, 511L << 20);
    private static final SessionLimits LIMITS = new SessionLimits(128 << 20, 8192, 1024, 4096, 100);

    static Stream<HandshakeFrame> frames() {
        return Stream.of(
                new Hello(PeerRole.CLIENT, 4711, 123_456_789L, "shm"),
                new Hello(PeerRole.SERVER, 1, 0, ""),
                new Welcome(
                        128,
                        77,
                        HostKind.EMBEDDED,
                        4,
                        5,
                        "/dev/shm/zbmi-1-ä",
                        -3,
                        GEOMETRY,
                        LIMITS),
                new Refused(-99, "Another server is attached."),
                new Goodbye(false),
                new Goodbye(true),
                new Ring(),
                new Redirect("/run/zbmi/server.sock"),
                new AskOperations(4711),
                new OperationsPage(OperationsPage.LAST, 0, 0, List.of()),
                new OperationsPage(
                        99,
                        100_000,
                        3,
                        Collections.nCopies(
                                OperationsPage.MAX_OPERATIONS,
                                new OperationsPage.Entry(-1, 128, 1L << 40, 7, 9, -1, 5, 6))));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void everyFrameComesBackAsItWas(HandshakeFrame frame) throws Exception {
        ByteBuffer encoded = HandshakeCodec.encode(frame);
        assertThat(HandshakeCodec.frameLength(encoded)).isEqualTo(encoded.remaining());
        assertThat(HandshakeCodec.decode(encoded)).isEqualTo(frame);
        assertThat(encoded.hasRemaining()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("frames")
    void aFrameThatIsCutOffAnywhereIsRefused(HandshakeFrame frame) throws Exception {
        ByteBuffer encoded = HandshakeCodec.encode(frame);
        for (int length = 4; length < encoded.limit(); length++) {
            ByteBuffer cut = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            cut.put(0, encoded, 0, length);
            assertThatThrownBy(() -> HandshakeCodec.decode(cut.duplicate()))
                    .isInstanceOf(HandshakeException.class);
            cut.putInt(0, length);
            assertThatThrownBy(() -> HandshakeCodec.decode(cut.duplicate()))
                    .isInstanceOf(HandshakeException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("frames")
    void aFrameWithBytesTooManyIsRefused(HandshakeFrame frame) {
        ByteBuffer encoded = HandshakeCodec.encode(frame);
        ByteBuffer longer = ByteBuffer.allocate(encoded.limit() + 1).order(ByteOrder.LITTLE_ENDIAN);
        longer.put(encoded).putInt(0, longer.capacity()).rewind();
        assertThatThrownBy(() -> HandshakeCodec.decode(longer))
                .isInstanceOf(HandshakeException.class)
                .hasMessageContaining("1 bytes too many");
    }

    @Test
    void garbageIsRefusedAndNeverCausesAnotherException() {
        long seed = System.nanoTime();
        System.out.println("HandshakeCodecTest seed " + seed);
        Random random = new Random(seed);
        HandshakeFrame[] frames = frames().toArray(HandshakeFrame[]::new);
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            ByteBuffer encoded = HandshakeCodec.encode(frames[i % frames.length]);
            for (int k = random.nextInt(3); k >= 0; k--) {
                encoded.put(random.nextInt(encoded.limit()), (byte) random.nextInt());
            }
            try {
                HandshakeCodec.decode(encoded);
            } catch (HandshakeException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    @Test
    void anotherVersionIsRefusedInWords() {
        ByteBuffer encoded = HandshakeCodec.encode(new Goodbye(false));
        encoded.putInt(8, 99);
        assertThatThrownBy(() -> HandshakeCodec.decode(encoded))
                .hasMessageContaining("protocol version 99, not " + SegmentMap.PROTOCOL_VERSION);
    }

    @Test
    void lengthsOutOfBoundsAreRefusedBeforeAnythingIsRead() {
        for (int length : new int[] {Integer.MIN_VALUE, -1, 0, 15, 4097, Integer.MAX_VALUE}) {
            ByteBuffer bytes = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putInt(0, length);
            assertThatThrownBy(() -> HandshakeCodec.frameLength(bytes))
                    .isInstanceOf(HandshakeException.class);
        }
    }

    @Test
    void theLengthIsUnknownUntilFourBytesAreThere() throws Exception {
        assertThat(HandshakeCodec.frameLength(ByteBuffer.allocate(3))).isEqualTo(-1);
    }

    @Test
    void aLongSentenceIsCutAndALongPathIsMisuse() throws Exception {
        ByteBuffer encoded = HandshakeCodec.encode(new Refused(-1, "x".repeat(5000)));
        assertThat(((Refused) HandshakeCodec.decode(encoded)).sentence()).hasSize(1024);
        Welcome welcome =
                new Welcome(1, 1, HostKind.DIRECT, 1, 1, "p".repeat(3000), 1, GEOMETRY, LIMITS);
        assertThatThrownBy(() -> HandshakeCodec.encode(welcome))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
