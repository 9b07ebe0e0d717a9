package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jbmi.mempool.pool.PoolAllocator.FREED;
import static org.jbmi.mempool.pool.PoolAllocator.IN_USE;
import static org.jbmi.mempool.pool.PoolAllocator.NOT_A_BLOCK;
import static org.jbmi.mempool.pool.PoolAllocator.NO_MEMORY;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Field;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PoolAllocatorTest {
    private static final long BASE = 1 << 20;
    private static final long SIZE = 64 << 10;

    private final PoolAllocator pool = new PoolAllocator(BASE, SIZE);

    /** What was found last is remembered, with its end. */
    @Test
    void aFreedBlockIsNotFoundAgain() {
        PoolAllocator pool = new PoolAllocator(0, 1024);
        long block = pool.allocate(128);
        assertThat(pool.pin(block + 100, 28)).isTrue();
        assertThat(pool.unpin(block)).isTrue();
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
        assertThat(pool.pin(block, 1)).isFalse();

        assertThat(pool.allocate(64)).as("the same place").isEqualTo(block);
        assertThat(pool.pin(block, 64)).isTrue();
        assertThat(isInABlock(pool, block + 64, 1)).isFalse();
    }

    private static boolean isInABlock(PoolAllocator pool, long offset, long lengthBytes) {
        return pool.pin(offset, lengthBytes) && pool.unpin(offset);
    }

    @Test
    void blocksAreAlignedApartAndInTheRange() {
        long previousEnd = BASE;
        for (long size = 1; size <= 300; size += 7) {
            long block = pool.allocate(size);

            assertThat(block % 64).isZero();
            assertThat(block).isGreaterThanOrEqualTo(previousEnd);
            assertThat(pool.leaks().getLast().sizeBytes()).isEqualTo(size);
            assertThat(pool.blockSize(block)).isEqualTo((size + 63) / 64 * 64);
            previousEnd = block + pool.blockSize(block);
        }
        assertThat(previousEnd).isLessThanOrEqualTo(BASE + SIZE);
    }

    @Test
    void thePoolCanBeTakenWholeAndGivenBack() {
        long all = pool.allocate(SIZE);

        assertThat(all).isEqualTo(BASE);
        assertThat(pool.freeBytes()).isZero();
        assertThat(pool.allocate(1)).isEqualTo(NO_MEMORY);
        assertThat(pool.free(all)).isEqualTo(FREED);
        assertWhole();
    }

    @Test
    void aPoolOfOddLengthCanBeTakenWhole() {
        for (long size : new long[] {64, 100, 64 * 33, 64 * 1023 + 5, (1L << 30) - 64}) {
            PoolAllocator odd = new PoolAllocator(0, size);

            assertThat(odd.capacityBytes()).isEqualTo(size / 64 * 64);
            assertThat(odd.allocate(odd.capacityBytes())).isZero();
            assertThat(odd.free(0)).isEqualTo(FREED);
        }
    }

    @Test
    void moreThanThePoolOrLessThanNothingIsNoMemory() {
        assertThat(pool.allocate(SIZE + 1)).isEqualTo(NO_MEMORY);
        assertThat(pool.allocate(Long.MAX_VALUE)).isEqualTo(NO_MEMORY);
        assertThat(pool.allocate(-1)).isEqualTo(NO_MEMORY);
        assertThat(pool.allocate(Long.MIN_VALUE)).isEqualTo(NO_MEMORY);
        assertWhole();
    }

    @Test
    void nothingIsABlockToo() {
        long first = pool.allocate(0);
        long second = pool.allocate(0);

        assertThat(first).isNotEqualTo(second);
        assertThat(pool.leaks()).extracting(Leak::sizeBytes).containsExactly(0L, 0L);
        assertThat(isInABlock(pool, first, 0)).isTrue();
        assertThat(pool.free(first)).isEqualTo(FREED);
        assertThat(pool.free(first)).isEqualTo(NOT_A_BLOCK);
        assertThat(pool.free(second)).isEqualTo(FREED);
        assertWhole();
    }

    @Test
    void afterExhaustionAFreedBlockServesAgain() {
        List<Long> blocks = new ArrayList<>();
        for (long b = pool.allocate(1000); b != NO_MEMORY; b = pool.allocate(1000)) {
            blocks.add(b);
        }
        assertThat(blocks).hasSize((int) (SIZE / 1024));

        assertThat(pool.free(blocks.get(17))).isEqualTo(FREED);

        assertThat(pool.allocate(1000)).isEqualTo(blocks.get(17));
        assertThat(pool.allocate(1)).isEqualTo(NO_MEMORY);
    }

    @Test
    void aPoolMayBeOneBlock() {
        PoolAllocator one = new PoolAllocator(BASE, 64, 1);

        assertThat(one.baseOffset()).isEqualTo(BASE);
        assertThat(one.allocate(64)).isEqualTo(BASE);
        assertThat(one.allocate(0)).isEqualTo(NO_MEMORY);
    }

    @Test
    void theRecordsOfJoinedBlocksAreUsedAgain() {
        PoolAllocator two = new PoolAllocator(BASE, SIZE, 2);

        for (int i = 0; i < 100; i++) {
            assertThat(two.allocate(64)).isEqualTo(BASE);
            assertThat(two.free(BASE)).isEqualTo(FREED);
        }
    }

    @Test
    void theByteAfterThePoolIsInNoBlock() {
        // 64 granules fill a word of the index: there is none for the granule behind them.
        PoolAllocator word = new PoolAllocator(BASE, 4096);
        word.allocate(4096);

        assertThat(isInABlock(word, BASE + 4096, 0)).isFalse();
        assertThat(word.unpin(BASE + 4096)).isFalse();
    }

    @Test
    void everyMisuseIsRefusedAndHurtsNothing() {
        long a = pool.allocate(500);
        long b = pool.allocate(500);
        long freed = pool.allocate(500);
        pool.free(freed);
        long before = pool.usedBytes();
        long[] wrong = {
            a + 16,
            a + 64,
            a - 64,
            freed,
            freed + 64,
            BASE - 64,
            BASE + SIZE,
            0,
            -1,
            -64,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            BASE + SIZE - 64
        };
        for (long offset : wrong) {
            if (offset == BASE) {
                continue;
            }
            assertThat(pool.free(offset)).as("%d", offset).isEqualTo(NOT_A_BLOCK);
            assertThat(pool.blockSize(offset)).as("%d", offset).isEqualTo(-1);
        }
        assertThat(pool.usedBytes()).isEqualTo(before);
        assertThat(pool.free(a)).isEqualTo(FREED);
        assertThat(pool.free(b)).isEqualTo(FREED);
        assertWhole();
    }

    @Test
    void aRangeIsInOneBlockOrItIsNot() {
        long a = pool.allocate(128);
        long b = pool.allocate(128);
        assertThat(b).isEqualTo(a + 128);

        assertThat(isInABlock(pool, a, 128)).isTrue();
        assertThat(isInABlock(pool, a + 100, 28)).isTrue();
        assertThat(isInABlock(pool, a + 127, 1)).isTrue();
        assertThat(isInABlock(pool, a + 127, 0)).isTrue();
        assertThat(isInABlock(pool, a + 100, 29)).as("across two blocks").isFalse();
        assertThat(isInABlock(pool, b, 129)).as("into free memory").isFalse();
        assertThat(isInABlock(pool, b + 128, 0)).as("free memory").isFalse();
        assertThat(isInABlock(pool, a - 1, 1)).as("before the pool").isFalse();
        assertThat(isInABlock(pool, a, -1)).isFalse();
        assertThat(isInABlock(pool, a + 1, Long.MAX_VALUE)).isFalse();
        assertThat(isInABlock(pool, Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(isInABlock(pool, Long.MIN_VALUE, 8)).isFalse();
        pool.free(a);
        assertThat(isInABlock(pool, a, 1)).isFalse();
        assertThat(isInABlock(pool, b + 5, 1)).isTrue();
    }

    @Test
    void aBlockInUseIsNotFreed() {
        long a = pool.allocate(1000);

        assertThat(pool.pin(a + 10, 20)).isTrue();
        assertThat(pool.pin(a, 1000)).isTrue();
        assertThat(pool.leaks().getFirst().pins()).isEqualTo(2);
        assertThat(pool.free(a)).isEqualTo(IN_USE);
        assertThat(pool.unpin(a)).isTrue();
        assertThat(pool.free(a)).isEqualTo(IN_USE);
        assertThat(pool.unpin(a + 500)).isTrue();
        assertThat(pool.unpin(a)).as("once too often").isFalse();
        assertThat(pool.pin(a, 1025)).as("beyond the block").isFalse();
        assertThat(pool.free(a)).isEqualTo(FREED);
        assertThat(pool.pin(a, 1)).as("no block any more").isFalse();
        assertThat(pool.unpin(a)).isFalse();
        assertWhole();
    }

    @Test
    void neighboursJoinOnBothSides() {
        long[] blocks = new long[5];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = pool.allocate(SIZE / 5);
        }
        pool.free(blocks[1]);
        pool.free(blocks[3]);
        pool.free(blocks[2]);

        assertThat(pool.allocate(3 * (SIZE / 5 / 64) * 64)).isEqualTo(blocks[1]);
    }

    @Test
    void theBoundOnBlocksIsKeptAndHurtsNothing() {
        PoolAllocator few = new PoolAllocator(0, SIZE, 4);
        long[] blocks = {few.allocate(64), few.allocate(64), few.allocate(64)};

        assertThat(few.allocate(64)).as("the rest would be a fifth").isEqualTo(NO_MEMORY);
        long rest = few.allocate(few.freeBytes());
        assertThat(rest).isEqualTo(192);
        for (long block : blocks) {
            assertThat(few.free(block)).isEqualTo(FREED);
        }
        assertThat(few.free(rest)).isEqualTo(FREED);
        assertThat(few.allocate(SIZE)).isZero();
    }

    @Test
    void aMillionRandomOperationsLeaveOneFreeBlock() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        PoolAllocator large = new PoolAllocator(4096, 64L << 20);
        long[] blocks = new long[4096];
        int count = 0;
        for (int i = 0; i < 1_000_000; i++) {
            boolean grow = count == 0 || count < blocks.length && random.nextInt(100) < 52;
            if (grow) {
                long block = large.allocate(1L << random.nextInt(18));
                if (block != NO_MEMORY) {
                    blocks[count++] = block;
                }
            } else {
                int k = random.nextInt(count);
                assertThat(large.free(blocks[k])).as("seed %d", seed).isEqualTo(FREED);
                blocks[k] = blocks[--count];
            }
        }
        while (count > 0) {
            assertThat(large.free(blocks[--count])).as("seed %d", seed).isEqualTo(FREED);
        }
        assertThat(large.usedBytes()).as("seed %d", seed).isZero();
        assertThat(large.allocate(large.capacityBytes())).as("seed %d", seed).isEqualTo(4096);
    }

    @Test
    void theFiguresAddUp() {
        long a = pool.allocate(100);
        long b = pool.allocate(1000);
        pool.allocate(SIZE);
        pool.free(a);
        pool.free(a);

        assertThat(pool.usedBytes()).isEqualTo(1024);
        assertThat(pool.freeBytes()).isEqualTo(SIZE - 1024);
        assertThat(pool.allocate(SIZE - 1024 - 64)).isEqualTo(NO_MEMORY);
        assertThat(pool.free(b)).isEqualTo(FREED);
    }

    @Test
    void leaksAreToldWithTheirPlaceWhenAsked() {
        long untracked = pool.allocate(10);
        pool.trackAllocations(true);
        long gone = pool.allocate(20);
        long tracked = leakFromHere(pool);
        pool.free(gone);
        pool.pin(tracked, 1);

        List<Leak> leaks = pool.leaks();

        assertThat(leaks).hasSize(2);
        assertThat(leaks.get(0)).isEqualTo(new Leak(untracked, 10, 0, "", ""));
        Leak leak = leaks.get(1);
        assertThat(leak.offset()).isEqualTo(tracked);
        assertThat(leak.sizeBytes()).isEqualTo(777);
        assertThat(leak.pins()).isEqualTo(1);
        assertThat(leak.threadName()).isEqualTo(Thread.currentThread().getName());
        assertThat(leak.stackText().lines().findFirst().orElse("")).contains("leakFromHere");
        pool.trackAllocations(false);
        assertThat(pool.leaks()).extracting(Leak::stackText).containsOnly("");
    }

    /** The record of the place is the only thing that is lost. */
    @Test
    void aBlockWhosePlaceCannotBeRecordedOrForgottenIsStillABlock()
            throws ReflectiveOperationException {
        Field sites = PoolAllocator.class.getDeclaredField("sites");
        sites.setAccessible(true);
        sites.set(pool, new FullMap());
        pool.trackAllocations(true);

        long block = pool.allocate(10);

        assertThat(pool.leaks()).containsExactly(new Leak(block, 10, 0, "", ""));
        assertThat(pool.free(block)).isEqualTo(FREED);
        assertWhole();
    }

    /** A map for whose entries, and for the numbers of blocks, there is no memory. */
    private static final class FullMap extends AbstractMap<Integer, AllocationSite> {
        @Override
        public AllocationSite put(Integer block, AllocationSite site) {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public AllocationSite remove(Object block) {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public Set<Entry<Integer, AllocationSite>> entrySet() {
            return Set.of();
        }
    }

    @Test
    void rangesThatCannotBeAreMisuse() {
        assertThatThrownBy(() -> new PoolAllocator(8, SIZE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PoolAllocator(-64, SIZE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PoolAllocator(0, 63))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PoolAllocator(0, -1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PoolAllocator(0, 1L << 38))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PoolAllocator(0, SIZE, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static long leakFromHere(PoolAllocator pool) {
        return pool.allocate(777);
    }

    private void assertWhole() {
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.leaks()).isEmpty();
        assertThat(pool.allocate(SIZE)).isEqualTo(BASE);
        assertThat(pool.free(BASE)).isEqualTo(FREED);
    }

    @Test
    void aBlockThatFitsIsFoundAmongManyThatAreTooShort() {
        long wanted = 1_069_056;
        PoolAllocator crowded = new PoolAllocator(0, 64 << 20);
        long fits = crowded.allocate(1_077_248);
        crowded.allocate(64);
        long[] tooShort = new long[40];
        for (int i = 0; i < tooShort.length; i++) {
            tooShort[i] = crowded.allocate(1 << 20);
            crowded.allocate(64);
        }
        crowded.allocate(crowded.freeBytes()); // the rest

        crowded.free(fits);
        for (long block : tooShort) {
            crowded.free(block);
        }

        assertThat(crowded.allocate(1_077_248 + 64)).isEqualTo(NO_MEMORY);
        assertThat(crowded.allocate(wanted)).isEqualTo(fits);
        assertThat(crowded.allocate(wanted)).isEqualTo(PoolAllocator.NO_MEMORY);
    }
}
