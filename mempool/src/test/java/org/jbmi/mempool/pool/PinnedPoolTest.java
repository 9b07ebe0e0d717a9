package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What a pool of one process gives out, keeps from being freed, and tells at its end. */
@Timeout(60) // a pause is twenty times as long as an attempt on a busy machine
class PinnedPoolTest {
    private static final System.Logger LOG = System.getLogger(PinnedPoolTest.class.getName());
    private static final long BYTES = 64 << 10;
    private static final MemorySegment FOREIGN = MemorySegment.ofArray(new byte[10]);

    private final AtomicLong blocks = new AtomicLong();
    private final PinnedPool pool = new PinnedPool(LOG, BYTES, false, blocks::addAndGet);

    @AfterEach
    void close() {
        pool.close(Long.MAX_VALUE);
    }

    private int pin(boolean onlyPool, MemorySegment... buffers) {
        return pool.pin(List.of(buffers), buffers.length, List::get, onlyPool);
    }

    private void unpin(MemorySegment... buffers) {
        pool.unpin(List.of(buffers), buffers.length, List::get);
    }

    @Test
    void aPinnedBlockIsFreedOnlyAfterwards() {
        assertThat(pool.exists()).isFalse();
        MemorySegment block = pool.allocate(100);
        assertThat(pool.exists()).isTrue();
        assertThat(pin(false, block.asSlice(10, 5), FOREIGN)).isEqualTo(PinnedPool.PINNED);
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.IN_USE);
        assertThat(blocks).hasValue(1);
        unpin(block.asSlice(10, 5), FOREIGN);
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
        assertThat(blocks).hasValue(0);
    }

    @Test
    void oneBufferIsPinnedByItself() {
        assertThat(pool.pin(FOREIGN)).as("without a pool").isTrue();
        MemorySegment block = pool.allocate(100);
        assertThat(pool.pin(block)).isTrue();
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.IN_USE);
        pool.unpin(block);
        assertThat(pool.pin(FOREIGN)).isTrue();
        pool.unpin(FOREIGN);
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
        assertThat(pool.pin(block)).as("freed").isFalse();
    }

    @Test
    void whatIsRefusedHoldsNoPin() {
        MemorySegment block = pool.allocate(100);
        MemorySegment freed = pool.allocate(100);
        pool.free(freed);
        assertThat(pin(false, block, freed)).isEqualTo(PinnedPool.REFUSED);
        assertThat(pin(true, block, FOREIGN)).isEqualTo(PinnedPool.REFUSED);
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
    }

    @Test
    void buffersElsewhereAndOfNoBytesAreNotPinned() {
        assertThat(pin(false, FOREIGN)).isEqualTo(PinnedPool.FOREIGN);
        assertThat(pin(true, FOREIGN)).isEqualTo(PinnedPool.REFUSED);
        assertThat(pin(true, FOREIGN.asSlice(0, 0))).isEqualTo(PinnedPool.FOREIGN);
        MemorySegment block = pool.allocate(64);
        assertThat(pin(true, block.asSlice(0, 0))).isEqualTo(PinnedPool.FOREIGN);
        unpin(block.asSlice(0, 0));
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
    }

    @Test
    void aClosedPoolHasNothing() {
        MemorySegment block = pool.allocate(64);
        assertThat(block).isNotNull();
        pool.close(Long.MAX_VALUE);
        assertThat(pool.allocate(64)).isNull();
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
        assertThat(blocks).hasValue(0);
    }

    @Test
    void whatDoesNotFitIsNotThere() {
        assertThat(pool.allocate(-1)).isNull();
        assertThat(pool.allocate(BYTES + 1)).isNull();
        assertThat(pool.allocate(BYTES)).isNotNull();
        assertThat(pool.allocate(1)).isNull();
        assertThat(blocks).hasValue(1);
    }

    @Test
    void theEndTellsWhatWasLeft() {
        MemorySegment block = pool.allocate(64);
        assertThat(pool.allocate(64)).isNotNull();
        pool.free(block);
        assertThat(pool.close(Long.MAX_VALUE)).isEqualTo(1);
        assertThat(blocks).hasValue(0);
        assertThat(pool.close(Long.MAX_VALUE)).isZero();
        assertThat(new PinnedPool(LOG, BYTES, false, blocks::addAndGet).close(Long.MAX_VALUE))
                .isZero();
    }

    @Test
    void nothingIsGivenOutAfterTheEnd() {
        pool.close(Long.MAX_VALUE);
        assertThat(pool.allocate(1)).isNull();
        assertThat(pool.exists()).isFalse();
    }

    @Test
    void aPoolForWhichThereIsNoMemoryGivesNothing() throws Exception {
        Process child = ChildJvm.start(Child.class, List.of("-Xmx32m", "-XX:+UseSerialGC"));
        try {
            byte[] output = child.getInputStream().readAllBytes();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(new String(output, StandardCharsets.UTF_8))
                    .isEqualTo("null, tried at a few of 100 allocations, tried again");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /** Allocates in a pool whose index alone is larger than the heap. */
    static final class Child {
        private static final int MANY = 100;

        private Child() {}

        public static void main(String[] args) {
            PinnedPool large = new PinnedPool(LOG, 100L << 30, false, change -> {});
            System.out.print(large.allocate(64));
            long before = collections();
            for (int i = 0; i < MANY; i++) {
                large.allocate(64);
            }
            boolean isOften = collections() - before >= MANY;
            System.out.print(", tried at " + (isOften ? "each" : "a few") + " of 100 allocations");
            before = collections();
            while (collections() == before) {
                large.allocate(64);
            }
            System.out.print(", tried again");
            large.close(Long.MAX_VALUE);
        }

        /** Full ones: an attempt makes the JVM look for memory everywhere. */
        private static long collections() {
            return ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .filter(collector -> collector.getName().equals("MarkSweepCompact"))
                    .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                    .sum();
        }
    }
}
