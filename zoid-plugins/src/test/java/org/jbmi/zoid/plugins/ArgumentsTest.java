package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.DoubleCell;
import org.jbmi.zoid.forward.IntCell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.test.Test.TestPoint;
import org.jbmi.zoid.plugins.test.TestClient;
import org.jbmi.zoid.plugins.test.TestFunctions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Each kind of argument, each way it travels, over each method. */
class ArgumentsTest {
    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void everythingTravels(String method) throws Exception {
        try (Server server = Server.of(method)) {
            TestClient test = new TestClient(server.client());
            values(test);
            arrays(test);
            rows(test);
            withoutCopies(test);
            userBuffers(test, server);
        }
    }

    private static void values(TestClient test) {
        test.null_();
        assertThat(test.add(2, -5)).isEqualTo(-3);
        assertThat(test.scalars((byte) -1, (short) 2, 3, 1L << 40, 0.5f, 0.25, true))
                .isEqualTo(4.75 + (1L << 40));
        assertThat(test.scalars((byte) 1, (short) 2, 3, 4, 0.5f, 0.25, false)).isEqualTo(-10.75);
        Cell<String> upper = new Cell<>();
        assertThat(test.upper("grün", upper)).isEqualTo(4);
        assertThat(upper.get()).isEqualTo("GRÜN");
        Cell<String> untouched = new Cell<>("as it was");
        assertThat(test.upper(null, untouched)).isEqualTo(-1);
        assertThat(untouched.get()).isEqualTo("as it was");
        IntCell counter = new IntCell(4);
        DoubleCell half = new DoubleCell();
        assertThat(test.count(counter, half)).isEqualTo(1);
        assertThat(test.count(counter, null)).isZero();
        assertThat(counter.get()).isEqualTo(6);
        assertThat(half.get()).isEqualTo(2.5);
        Cell<TestPoint> scaled = new Cell<>();
        test.scale(new TestPoint(1, 2, 3), 2, scaled);
        assertThat(scaled.get()).isEqualTo(new TestPoint(2, 4, 6));
    }

    private static void arrays(TestClient test) {
        assertThat(test.sum(new int[] {1, 2, 3, 100}, 3)).isEqualTo(6);
        assertThat(test.sum(null, 3)).isEqualTo(-1);
        int[] values = {-1, -1, -1, -1, -1};
        LongCell count = new LongCell(4);
        assertThat(test.iota(values, count, 3)).isEqualTo(3);
        assertThat(count.get()).isEqualTo(3);
        assertThat(values).containsExactly(0, 1, 2, -1, -1);
        double[] squares = {2, 3, 4};
        test.square(squares, 2);
        assertThat(squares).containsExactly(4, 9, 4);
        TestPoint[] points = {new TestPoint(0, 0, 1), new TestPoint(10, 0, 3)};
        assertThat(test.centre(points, 2)).isEqualTo(7.5);
    }

    private static void rows(TestClient test) {
        long[][] rows = {{1, 2, 3}, {}, {4, 5}};
        assertThat(test.sumRows(rows, new int[] {3, 0, 1}, 3)).isEqualTo(10);
        MemorySegment[] filled = new MemorySegment[3];
        for (boolean large : new boolean[] {false, true}) {
            for (int i = 0; i < filled.length; i++) {
                filled[i] = MemorySegment.ofArray(new byte[8]).fill((byte) 99);
            }
            int[] sizes = {8, 4, 6};
            assertThat(
                            large
                                    ? test.fillLargeRows(filled, sizes, 3)
                                    : test.fillRows(filled, sizes, 3))
                    .isEqualTo(3);
            assertThat(sizes).containsExactly(4, 2, 3);
            for (int i = 0; i < filled.length; i++) {
                byte[] expected = new byte[8];
                Arrays.fill(expected, (byte) 99);
                Arrays.fill(expected, 0, sizes[i], (byte) i); // no holes, and nothing beyond
                assertThat(filled[i].toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
            }
        }
    }

    private static void withoutCopies(TestClient test) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = arena.allocate(3_000_000);
            TestFunctions.fill(data, 3);
            assertThat(test.checksum(data, 3_000_000)).isEqualTo(TestFunctions.checksumOf(data));
            assertThat(test.checksum(data, 0)).isZero();
            MemorySegment filled = arena.allocate(2_000_000);
            LongCell length = new LongCell(2_000_000);
            assertThat(test.pattern(filled, length, 5, 1_500_001)).isEqualTo(1_500_001);
            MemorySegment expected = arena.allocate(2_000_000);
            TestFunctions.fill(expected.asSlice(0, 1_500_001), 5);
            assertThat(filled.mismatch(expected)).isEqualTo(-1);
        }
    }

    private static void userBuffers(TestClient test, Server server) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = arena.allocate(9_000_000); // beyond the limit of a message
            TestFunctions.fill(data, 9);
            assertThat(test.keep(data, data.byteSize())).isEqualTo(TestFunctions.checksumOf(data));
            MemorySegment back = arena.allocate(9_000_000);
            assertThat(test.give(back, new LongCell(back.byteSize()), 9)).isEqualTo(9_000_000);
            assertThat(back.mismatch(data)).isEqualTo(-1);
            assertThat(test.held()).isZero();
            assertThat(server.told()).contains("sent true");
        }
    }

    @Test
    void memoryOfOneThreadIsCopiedAndCounted() throws Exception {
        try (Server server = Server.of("loopback");
                Arena confined = Arena.ofConfined()) {
            Zoid zoid = server.client();
            TestClient test = new TestClient(zoid);
            MemorySegment data = confined.allocate(1000);
            TestFunctions.fill(data, 1);
            assertThat(test.checksum(data, 1000)).isEqualTo(TestFunctions.checksumOf(data));
            MemorySegment numbers = MemorySegment.ofArray(new long[100]);
            test.pattern(numbers, new LongCell(800), 1, 800);
            assertThat(numbers.mismatch(data.asSlice(0, 800))).isEqualTo(-1);
            assertThat(zoid.traffic().copies()).isEqualTo(2);
            MemorySegment shared = MemorySegment.ofArray(new byte[800]);
            test.pattern(shared, new LongCell(800), 1, 800);
            assertThat(zoid.traffic().copies()).isEqualTo(2);
        }
    }

    /** One without the hint is a part of the message; one with it stays where it is. */
    @Test
    void arraysAreCopiedIfTheyLackZerocopyAndCountedIfTheyAreNotAligned() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            Zoid zoid = server.client();
            TestClient test = new TestClient(zoid);
            test.sum(new int[] {1, 2}, 2);
            assertThat(zoid.traffic().copies()).isOne();
            test.square(new double[] {2}, 1); // there and back
            assertThat(zoid.traffic().copies()).isEqualTo(3);
            MemorySegment memory = arena.allocate(1000, 16);
            test.checksum(memory, 1000);
            test.pattern(memory, new LongCell(1000), 1, 1000);
            assertThat(zoid.traffic().unaligned()).isZero();
            MemorySegment odd = memory.asSlice(1, 999);
            TestFunctions.fill(odd, 3);
            assertThat(test.checksum(odd, 999)).isEqualTo(TestFunctions.checksumOf(odd));
            MemorySegment back = arena.allocate(1000, 16).asSlice(7, 993);
            test.pattern(back, new LongCell(993), 3, 993);
            assertThat(back.mismatch(odd.asSlice(0, 993))).isEqualTo(-1);
            assertThat(zoid.traffic().unaligned()).isEqualTo(2);
            assertThat(zoid.traffic().copies()).isEqualTo(3);
        }
    }

    @Test
    void whatMayNotBeMissingIsRefusedBeforeAnythingTravels() throws Exception {
        try (Server server = Server.of("loopback")) {
            Zoid zoid = server.client();
            TestClient test = new TestClient(zoid);
            MemorySegment memory = MemorySegment.ofArray(new byte[10]);
            assertThatThrownBy(() -> test.scale(null, 1, new Cell<>()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'point'");
            assertThatThrownBy(() -> test.checksum(memory, 11))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("'data' is said to have 11 elements, and has 10.");
            assertThatThrownBy(() -> test.checksum(memory, -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> test.sumRows(new long[2][2], new int[] {2, 3}, 2))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> test.sumRows(new long[][] {null}, new int[] {2}, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> test.pattern(memory.asReadOnly(), new LongCell(5), 1, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(zoid.traffic().requests()).isZero();
        }
    }
}
