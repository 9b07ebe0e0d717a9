package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jbmi.mempool.SharedSegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MemoryPoolTest {
    /** Keeps what is logged. */
    private static final class Kept implements System.Logger {
        private final List<String> lines = new ArrayList<>();

        @Override
        public String getName() {
            return "kept";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
            lines.add(text);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            lines.add(MessageFormat.format(format, parameters));
        }
    }

    private static MemorySegment forgetful(MemoryPool pool) {
        return pool.allocate(1234);
    }

    @Test
    void whatIsForgottenIsCountedAndItsPlaceLoggedIfItWasTracked() {
        try (MemoryPool pool = MemoryPool.privatePool(1 << 20)) {
            Kept log = new Kept();
            assertThat(pool.reportLeaks(log)).isZero();
            MemorySegment untracked = pool.allocate(10);
            assertThat(pool.reportLeaks(log)).isEqualTo(1);
            assertThat(log.lines).isEmpty();
            pool.allocator().trackAllocations(true);
            forgetful(pool);
            pool.free(untracked);
            assertThat(pool.reportLeaks(log)).isEqualTo(1);
            assertThat(log.lines)
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains("1234 bytes", Thread.currentThread().getName(), "forgetful");
            for (int i = 0; i < 99; i++) {
                forgetful(pool);
            }
            log.lines.clear();
            assertThat(pool.reportLeaks(log)).isEqualTo(100);
            assertThat(log.lines).as("bounded").hasSize(16);
        }
    }

    @Test
    void buffersOfASharedSegmentMeanTheSameInEveryMapping(@TempDir Path directory) {
        try (SharedSegment mine = SharedSegment.create(directory.resolve("s"), 1 << 20);
                SharedSegment theirs = SharedSegment.open(directory.resolve("s"));
                MemoryPool pool =
                        new MemoryPool(mine.segment(), new PoolAllocator(512 << 10, 256 << 10))) {
            MemorySegment buffer = pool.allocate(1000);
            long offset = pool.offsetOf(buffer);
            buffer.set(ValueLayout.JAVA_INT, 0, 4711);

            assertThat(buffer.byteSize()).isEqualTo(1000);
            assertThat(buffer.address() % 64).isZero();
            assertThat(offset).isBetween(512L << 10, 768L << 10);
            assertThat(theirs.memory().getIntAcquire(offset)).isEqualTo(4711);
            assertThat(pool.offsetOf(theirs.segment().asSlice(offset, 8)))
                    .as("another mapping is other memory")
                    .isEqualTo(-1);
            assertThat(pool.offsetOf(mine.segment().asSlice(4096, 8)))
                    .as("the segment, but not the pool")
                    .isEqualTo(-1);
        }
    }

    @Test
    void buffersAreFoundAndFreedByLooking() {
        try (MemoryPool pool = MemoryPool.privatePool(1 << 20);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = pool.allocate(1000);
            MemorySegment foreign = arena.allocate(1000);
            MemorySegment heap = MemorySegment.ofArray(new byte[100]);

            assertThat(pool.pin(heap)).isEqualTo(-1);
            assertThat(pool.pin(pool.segment())).as("more than one block").isEqualTo(-1);
            assertThat(pool.offsetOf(pool.segment())).isZero();
            assertThat(pool.free(foreign)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
            assertThat(pool.free(heap)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
            assertThat(pool.free(buffer.asSlice(16))).isEqualTo(PoolAllocator.NOT_A_BLOCK);

            long pinned = pool.pin(buffer.asSlice(100, 50));
            assertThat(pinned).isEqualTo(pool.offsetOf(buffer) + 100);
            assertThat(pool.pin(foreign)).isEqualTo(-1);
            assertThat(pool.free(buffer)).isEqualTo(PoolAllocator.IN_USE);
            assertThat(pool.allocator().unpin(pinned)).isTrue();
            assertThat(pool.free(buffer)).isEqualTo(PoolAllocator.FREED);
            assertThat(pool.free(buffer)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
            assertThat(pool.pin(buffer)).isEqualTo(-1);
        }
    }

    @Test
    void nothingIsABufferAndTooMuchIsNull() {
        try (MemoryPool pool = MemoryPool.privatePool(1 << 20)) {
            MemorySegment nothing = pool.allocate(0);

            assertThat(nothing).isNotNull();
            assertThat(nothing.byteSize()).isZero();
            assertThat(pool.free(nothing)).isEqualTo(PoolAllocator.FREED);
            assertThat(pool.allocate(-1)).isNull();
            assertThat(pool.allocate((1 << 20) + 1)).isNull();
            assertThat(pool.allocate(1 << 20)).isNotNull();
            assertThat(pool.allocate(0)).isNull();
        }
    }

    @Test
    void memoryOnTheHeapOrTooShortIsNoPool() {
        MemorySegment heap = MemorySegment.ofArray(new long[100]);
        assertThatThrownBy(() -> new MemoryPool(heap, new PoolAllocator(0, 640)))
                .isInstanceOf(IllegalArgumentException.class);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment small = arena.allocate(640, 64);
            assertThatThrownBy(() -> new MemoryPool(small, new PoolAllocator(64, 640)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> new MemoryPool(small.asSlice(8), new PoolAllocator(0, 64)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aClosedPrivatePoolRefusesUse() {
        MemoryPool pool = MemoryPool.privatePool(1 << 20);
        MemorySegment buffer = pool.allocate(8);
        pool.close();
        pool.close();

        assertThatThrownBy(() -> buffer.get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void untouchedPagesOfAPrivatePoolAreNotThere() throws Exception {
        long before = residentPages();
        try (MemoryPool pool = MemoryPool.privatePool(1L << 30)) {
            MemorySegment buffer = pool.allocate(1L << 20);
            buffer.fill((byte) 1);

            assertThat((residentPages() - before) * 4096)
                    .as("of 1 GiB, 1 MiB was touched")
                    .isLessThan(256L << 20);
        }
    }

    private static long residentPages() throws Exception {
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1]);
    }
}
