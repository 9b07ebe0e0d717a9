package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class SegmentMemoryTest {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment = arena.allocate(1024, 64);
    private final SharedMemory memory = new SegmentMemory(segment);

    @AfterEach
    void closeArena() {
        arena.close();
    }

    @Test
    void longsAreReadAndWrittenInEveryMode() {
        memory.setLongPlain(8, 1);
        assertThat(memory.getLongPlain(8)).isEqualTo(1);
        memory.setLongRelease(8, 2);
        assertThat(memory.getLongAcquire(8)).isEqualTo(2);
        memory.setLongVolatile(8, 3);
        assertThat(memory.getLongVolatile(8)).isEqualTo(3);
        assertThat(memory.compareAndSetLong(8, 2, 9)).isFalse();
        assertThat(memory.compareAndSetLong(8, 3, 4)).isTrue();
        assertThat(memory.getAndAddLong(8, 6)).isEqualTo(4);
        assertThat(memory.getAndSetLong(8, 0b1100)).isEqualTo(10);
        assertThat(memory.getAndOrLong(8, 0b0011)).isEqualTo(0b1100);
        assertThat(memory.getLongPlain(8)).isEqualTo(0b1111);
        assertThat(memory.getLongPlain(0) | memory.getLongPlain(16)).isZero();
    }

    @Test
    void intsAreReadAndWrittenInEveryMode() {
        memory.setIntPlain(4, 1);
        assertThat(memory.getIntPlain(4)).isEqualTo(1);
        memory.setIntRelease(4, 2);
        assertThat(memory.getIntAcquire(4)).isEqualTo(2);
        memory.setIntVolatile(4, 3);
        assertThat(memory.getIntVolatile(4)).isEqualTo(3);
        assertThat(memory.compareAndSetInt(4, 2, 9)).isFalse();
        assertThat(memory.compareAndSetInt(4, 3, 4)).isTrue();
        assertThat(memory.getAndSetInt(4, 7)).isEqualTo(4);
        memory.fullFence();
        assertThat(memory.getIntPlain(4)).isEqualTo(7);
        assertThat(memory.getIntPlain(0) | memory.getIntPlain(8)).isZero();
    }

    @Test
    void wordsAreLittleEndian() {
        memory.setLongPlain(0, 0x0807_0605_0403_0201L);
        memory.setIntPlain(8, 0x0403_0201);

        for (int i = 0; i < 8; i++) {
            assertThat(segment.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) (i + 1));
        }
        assertThat(segment.get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) 1);
    }

    @Test
    void nothingReachesOutside() {
        List<ThrowingCallable> outside =
                List.of(
                        () -> memory.getLongAcquire(1024),
                        () -> memory.getLongPlain(-8),
                        () -> memory.setLongRelease(Long.MAX_VALUE - 7, 1),
                        () -> memory.getIntVolatile(1024),
                        () -> memory.copyIn(segment, 0, 1000, 25),
                        () -> memory.copyOut(1000, segment, 0, 25),
                        () -> memory.copyWithin(0, 1000, 25),
                        () -> memory.copyOut(-1, segment, 0, 1),
                        () -> memory.copyOut(0, segment, 1020, 8),
                        () -> memory.getLongs(1016, new long[2], 0, 2),
                        () -> memory.setLongs(-8, new long[2], 0, 2),
                        () -> memory.zero(1000, 25),
                        () -> memory.slice(1000, 25),
                        () -> memory.slice(-1, 1),
                        () -> memory.nativeAddress(1021, 4));
        for (ThrowingCallable access : outside) {
            assertThatThrownBy(access).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void anUnalignedWordIsMisuse() {
        assertThatThrownBy(() -> memory.getLongAcquire(4))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> memory.compareAndSetInt(6, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyCopyCopiesAllItsBytesAndNoOther() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int length = 0; length <= 200; length++) {
            byte[] bytes = new byte[length + 11];
            random.nextBytes(bytes);
            MemorySegment heap = MemorySegment.ofArray(bytes);
            int offset = random.nextInt(64, 300);
            memory.zero(0, 1024);
            memory.copyIn(heap, 3, offset, length);
            assertThat(segment.asSlice(offset, length).mismatch(heap.asSlice(3, length)))
                    .as("seed %d, %d bytes", seed, length)
                    .isEqualTo(-1);
            assertThat(memory.slice(0, offset).mismatch(MemorySegment.ofArray(new byte[offset])))
                    .as("bytes before")
                    .isEqualTo(-1);
            int rest = 1024 - offset - length;
            assertThat(
                            memory.slice(offset + length, rest)
                                    .mismatch(MemorySegment.ofArray(new byte[rest])))
                    .as("bytes after")
                    .isEqualTo(-1);
            MemorySegment target = MemorySegment.ofArray(new byte[length + 11]);
            memory.copyOut(offset, target, 5, length);
            assertThat(target.asSlice(5, length).mismatch(heap.asSlice(3, length)))
                    .as("seed %d, %d bytes out", seed, length)
                    .isEqualTo(-1);
            assertThat(target.get(ValueLayout.JAVA_BYTE, 4)).isZero();
            assertThat(target.get(ValueLayout.JAVA_BYTE, 5 + length)).isZero();
        }
        memory.copyWithin(64, 600, 100);
        assertThat(memory.slice(64, 100).mismatch(memory.slice(600, 100))).isEqualTo(-1);
    }
}
