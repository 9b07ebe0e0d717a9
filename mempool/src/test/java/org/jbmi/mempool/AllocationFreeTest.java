package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.mempool.pool.PoolAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** What stands on the path of every message makes no garbage once it is warm. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AllocationFreeTest {
    private static final int ROUNDS = 4_000;
    private static final int TRIES = 15;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void allocatePinLookAndFree() {
        PoolAllocator pool = new PoolAllocator(0, 16 << 20);
        SplittableRandom random = new SplittableRandom(1);
        long[] held = new long[64];
        Arrays.fill(held, -1);

        assertNoGarbage(
                i -> {
                    int k = i & 63;
                    pool.unpin(held[k]);
                    pool.free(held[k]);
                    held[k] = pool.allocate((i * 7919L) & 0xFFFF);
                    pool.pin(held[k], 1);
                    return pool.unpin(held[k] + 5) ? pool.usedBytes() : random.hashCode();
                });
    }

    @Test
    void waitTimeOutAndWake() {
        try (Arena arena = Arena.ofShared()) {
            SharedMemory memory = new SegmentMemory(arena.allocate(256, 64));
            FutexWaiting waiting = new FutexWaiting();
            WaitWord word = new WaitWord(memory, 128, waiting);

            assertNoGarbage(
                    i -> {
                        boolean woken = waiting.await(memory, 64, 0, 1);
                        waiting.wakeAll(memory, 64);
                        int ticket = word.ticket();
                        word.await(ticket, 1);
                        word.signal();
                        return woken ? i : ticket;
                    });
        }
    }

    @Test
    void accessAndCopies() {
        try (Arena arena = Arena.ofShared()) {
            SharedMemory memory = new SegmentMemory(arena.allocate(4096, 64));
            MemorySegment heap = MemorySegment.ofArray(new byte[128]);
            MemorySegment nativeBuffer = arena.allocate(128);

            assertNoGarbage(
                    i -> {
                        memory.copyIn((i & 1) == 0 ? heap : nativeBuffer, 1, 256, i & 127);
                        memory.copyOut(256, (i & 2) == 0 ? heap : nativeBuffer, 1, i & 127);
                        memory.copyIn(nativeBuffer, 0, 1024, 128);
                        memory.setLongRelease(8, i);
                        return memory.getAndOrLong(16, i) + memory.getLongAcquire(8);
                    });
        }
    }

    private interface Round {
        long run(int i);
    }

    // The first tries warm the code up, and the virtual machine may compile in between and charge a
    // little to this thread: one of the tries must be clean.
    private void assertNoGarbage(Round round) {
        long sink = 0;
        long least = Long.MAX_VALUE;
        for (int k = 0; k < TRIES && least > 0; k++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                sink += round.run(i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes in %d rounds (sink %d)", ROUNDS, sink).isZero();
    }
}
