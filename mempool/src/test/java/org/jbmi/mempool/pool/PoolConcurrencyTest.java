package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PoolConcurrencyTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 20_000;

    @Test
    void eightThreadsNeverGetTheSameBytes() throws Exception {
        long seed = System.nanoTime();
        try (MemoryPool pool = MemoryPool.privatePool(4 << 20);
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Callable<Integer>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                long mark = 0x0101_0101_0101_0101L * (i + 1);
                work.add(() -> churn(pool, random, mark));
            }
            int damaged = 0;
            for (Future<Integer> result : threads.invokeAll(work)) {
                damaged += result.get();
            }
            assertThat(damaged).as("seed %d", seed).isZero();
            assertThat(pool.allocator().usedBytes()).as("seed %d", seed).isZero();
            assertThat(pool.allocator().allocate(4 << 20)).as("seed %d", seed).isZero();
        }
    }

    // Holds a few buffers full of its own mark, and looks whether they still are when it frees
    // them.
    private static int churn(MemoryPool pool, SplittableRandom random, long mark) {
        MemorySegment[] held = new MemorySegment[16];
        int damaged = 0;
        for (int i = 0; i < ROUNDS; i++) {
            int k = random.nextInt(held.length);
            damaged += release(pool, held[k], mark);
            held[k] = pool.allocate(8L * random.nextInt(1, 2000));
            fill(held[k], mark);
        }
        for (MemorySegment buffer : held) {
            damaged += release(pool, buffer, mark);
        }
        return damaged;
    }

    private static void fill(MemorySegment buffer, long mark) {
        if (buffer != null) {
            for (long at = 0; at < buffer.byteSize(); at += Long.BYTES) {
                buffer.set(ValueLayout.JAVA_LONG, at, mark);
            }
        }
    }

    private static int release(MemoryPool pool, MemorySegment buffer, long mark) {
        if (buffer == null) {
            return 0;
        }
        int damaged = 0;
        for (long at = 0; at < buffer.byteSize(); at += Long.BYTES) {
            if (buffer.get(ValueLayout.JAVA_LONG, at) != mark) {
                damaged++;
            }
        }
        return pool.free(buffer) == PoolAllocator.FREED ? damaged : damaged + 1;
    }
}
