package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** The allocator against a map of intervals that does the same slowly and plainly. */
class PoolAllocatorPropertyTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final long BASE = 4096;

    @Property(tries = 150)
    void itDoesWhatIntervalsDo(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 5000) int granules,
            @ForAll @IntRange(min = 1, max = 400) int largestGranules) {
        assertTimeoutPreemptively(
                WATCHDOG, () -> new Run(seed, granules, largestGranules).run(1500));
    }

    @Property(tries = 100)
    void theNearestStartIsFound(
            @ForAll long seed, @ForAll @LongRange(min = 1, max = 300_000) long granules) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    StartIndex index = new StartIndex((int) granules);
                    TreeSet<Integer> model = new TreeSet<>();
                    for (int i = 0; i < 2000; i++) {
                        int at = random.nextInt((int) granules);
                        if (model.remove(at)) {
                            index.remove(at);
                        } else if (random.nextInt(3) != 0) {
                            index.prepare(at);
                            index.put(at, at);
                            model.add(at);
                        }
                        int from = random.nextInt((int) granules);
                        Integer floor = model.floor(from);
                        assertThat(index.atOrBefore(from)).isEqualTo(floor == null ? -1 : floor);
                        assertThat(index.at(from)).isEqualTo(model.contains(from) ? from : -1);
                    }
                });
    }

    /** One sequence of operations, and what must be true after each. */
    private static final class Run {
        private final SplittableRandom random;
        private final long capacity;
        private final int largestGranules;
        private final PoolAllocator pool;
        private final TreeMap<Long, Long> used = new TreeMap<>();
        private final List<Long> blocks = new ArrayList<>();
        private final TreeMap<Long, Long> sizes = new TreeMap<>();

        Run(long seed, int granules, int largestGranules) {
            this.random = new SplittableRandom(seed);
            this.capacity = granules * 64L;
            this.largestGranules = largestGranules;
            this.pool = new PoolAllocator(BASE, capacity);
        }

        void run(int operations) {
            for (int i = 0; i < operations; i++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2, 3 -> allocate();
                    case 4, 5, 6 -> free();
                    default -> misuse();
                }
                checkFigures();
                checkContains();
            }
            checkIntervals();
            while (!blocks.isEmpty()) {
                free();
            }
            assertThat(pool.leaks()).isEmpty();
            assertThat(pool.allocate(capacity)).isEqualTo(BASE);
        }

        private void allocate() {
            long size = random.nextLong(largestGranules * 64L);
            long length = Math.max(64, (size + 63) / 64 * 64);
            long offset = pool.allocate(size);
            if (offset == PoolAllocator.NO_MEMORY) {
                assertThat(largestGap()).as("a gap that fits").isLessThan(length);
                return;
            }
            assertThat(offset % 64).isZero();
            assertThat(offset).isBetween(BASE, BASE + capacity - length);
            Map.Entry<Long, Long> before = used.floorEntry(offset + length - 1);
            assertThat(before == null || before.getValue() <= offset).as("no overlap").isTrue();
            assertThat(pool.blockSize(offset)).isEqualTo(length);
            used.put(offset, offset + length);
            blocks.add(offset);
            sizes.put(offset, size);
        }

        private void free() {
            if (blocks.isEmpty()) {
                return;
            }
            long offset = blocks.remove(random.nextInt(blocks.size()));
            sizes.remove(offset);
            assertThat(pool.free(offset)).isEqualTo(PoolAllocator.FREED);
            used.remove(offset);
        }

        private void misuse() {
            long offset = BASE - 640 + random.nextLong(capacity + 1280);
            offset = random.nextBoolean() ? offset & -64 : offset;
            if (!used.containsKey(offset)) {
                assertThat(pool.free(offset)).isEqualTo(PoolAllocator.NOT_A_BLOCK);
            }
        }

        private void checkFigures() {
            assertThat(pool.usedBytes()).isEqualTo(usedBytes());
            assertThat(pool.usedBytes() + pool.freeBytes()).isEqualTo(capacity);
        }

        private void checkContains() {
            long offset = BASE - 64 + random.nextLong(capacity + 128);
            long length = random.nextLong(300);
            Map.Entry<Long, Long> around = used.floorEntry(offset);
            boolean inside =
                    around != null
                            && offset < around.getValue()
                            && offset + length <= around.getValue();
            assertThat(pool.pin(offset, length)).isEqualTo(inside);
            assertThat(pool.unpin(offset)).isEqualTo(inside);
        }

        private void checkIntervals() {
            List<Leak> leaks = pool.leaks();
            assertThat(leaks).extracting(Leak::offset).containsExactlyElementsOf(used.keySet());
            assertThat(leaks).extracting(Leak::sizeBytes).containsExactlyElementsOf(sizes.values());
            long gap = largestGap();
            assertThat(pool.allocate(gap + 64)).isEqualTo(PoolAllocator.NO_MEMORY);
            if (gap > 0) {
                assertThat(pool.free(pool.allocate(gap))).isEqualTo(PoolAllocator.FREED);
            }
        }

        private long usedBytes() {
            long sum = 0;
            for (Map.Entry<Long, Long> block : used.entrySet()) {
                sum += block.getValue() - block.getKey();
            }
            return sum;
        }

        private long largestGap() {
            long largest = 0;
            long end = BASE;
            for (Map.Entry<Long, Long> block : used.entrySet()) {
                largest = Math.max(largest, block.getKey() - end);
                end = block.getValue();
            }
            return Math.max(largest, BASE + capacity - end);
        }
    }
}
