package org.jbmi.benchmarks;

import org.jbmi.mempool.pool.PoolAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The cost of a block of the pool, from its allocation to its free, while many others are in use.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class PoolBenchmark extends AverageTimes {
    private static final long POOL_BYTES = 256L << 20;

    /** The size of a block in bytes. */
    @Param({"64", "65536"})
    public int bytes;

    /** The number of blocks in use meanwhile, with a hole after each. */
    @Param({"0", "1000"})
    public int inUse;

    private PoolAllocator pool;

    /** Makes the pool and its holes. */
    @Setup(Level.Trial)
    public void fill() {
        pool = new PoolAllocator(0, POOL_BYTES);
        long[] taken = new long[2 * inUse];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = pool.allocate(bytes);
        }
        for (int i = 0; i < taken.length; i += 2) {
            pool.free(taken[i]);
        }
    }

    /** One block. */
    @Benchmark
    public int allocateAndFree() {
        return pool.free(pool.allocate(bytes));
    }
}
