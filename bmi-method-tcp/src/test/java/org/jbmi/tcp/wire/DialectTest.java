package org.jbmi.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

class DialectTest {
    private static String hex(Dialect dialect, int mode, int tag, int hash, long size, int cls) {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        out.position(3);
        dialect.write(out, mode, tag, hash, size, cls);
        assertThat(out.position()).isEqualTo(3 + dialect.headerBytes());
        return HexFormat.of().withUpperCase().formatHex(out.array(), 3, out.position());
    }

    @Test
    void writesWhatTheOriginalWrites() {
        assertThat(hex(Dialect.STANDALONE, WireMode.UNEXPECTED, 42, 0, 1, 7))
                .isEqualTo("C8CA0000020000002A00000000000000010000000000000007");
        assertThat(hex(Dialect.STANDALONE, WireMode.EAGER, 6, 0xDFB22DA7, 100, 0))
                .isEqualTo("C8CA00000400000006000000A72DB2DF640000000000000000");
        assertThat(hex(Dialect.STANDALONE, WireMode.RENDEZVOUS, 5, 0, 102400, 0))
                .isEqualTo("C8CA0000080000000500000000000000009001000000000000");
        assertThat(hex(Dialect.ORANGEFS, WireMode.EAGER, 5, 99, 100, 3))
                .isEqualTo("BFCA00000400000005000000000000006400000000000000");
        assertThat(hex(Dialect.ORANGEFS, WireMode.EAGER, -5, 0, 0, 0))
                .isEqualTo("BFCA000004000000FBFFFFFFFFFFFFFF0000000000000000");
    }

    @Test
    void readsWhatItWrites() {
        WireHeader header = new WireHeader();
        for (Dialect dialect : Dialect.values()) {
            for (int tag : new int[] {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
                dialect.write(out, WireMode.UNEXPECTED, tag, 77, 1L << 40, 200);
                assertThat(dialect.read(out, 0, header)).isTrue();
                assertThat(header.mode).isEqualTo(WireMode.UNEXPECTED);
                assertThat(header.tag).isEqualTo(tag);
                assertThat(header.sizeBytes).isEqualTo(1L << 40);
                assertThat(header.sourceHash).isEqualTo(dialect.hasClasses() ? 77 : 0);
                assertThat(header.messageClass).isEqualTo(dialect.hasClasses() ? 200 : 0);
            }
        }
    }

    @Test
    void ignoresTheClassOfExpectedMessages() {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        Dialect.STANDALONE.write(out, WireMode.EAGER, 1, 0, 2, 0x5a);
        WireHeader header = new WireHeader();
        assertThat(Dialect.STANDALONE.read(out, 0, header)).isTrue();
        assertThat(header.messageClass).isZero();
    }

    @Test
    void tellsTheDialectsApart() {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        Dialect.STANDALONE.write(out, WireMode.EAGER, 1, 0, 2, 0);
        assertThat(Dialect.ORANGEFS.read(out, 0, new WireHeader())).isFalse();
        assertThat(Dialect.ofMagic(out.getInt(0))).isEqualTo(Dialect.STANDALONE);
        assertThat(Dialect.ofMagic(0)).isNull();
        assertThat(Dialect.ofLabel("orangefs")).isEqualTo(Dialect.ORANGEFS);
        assertThatThrownBy(() -> Dialect.ofLabel("x")).isInstanceOf(RuntimeException.class);
    }

    @Test
    void allowsOnlyWhatTheProtocolAllows() {
        assertThat(header(WireMode.EAGER, 0).isAllowed(10, 5)).isTrue();
        assertThat(header(WireMode.RENDEZVOUS, 10).isAllowed(10, 5)).isTrue();
        assertThat(header(WireMode.RENDEZVOUS, 11).isAllowed(10, 5)).isFalse();
        assertThat(header(WireMode.EAGER, -1).isAllowed(10, 5)).isFalse();
        assertThat(header(WireMode.UNEXPECTED, 5).isAllowed(10, 5)).isTrue();
        assertThat(header(WireMode.UNEXPECTED, 6).isAllowed(10, 5)).isFalse();
        assertThat(header(1, 0).isAllowed(10, 5)).isFalse();
        assertThat(header(6, 0).isAllowed(10, 5)).isFalse();
    }

    private static WireHeader header(int mode, long size) {
        WireHeader header = new WireHeader();
        header.mode = mode;
        header.sizeBytes = size;
        return header;
    }
}
