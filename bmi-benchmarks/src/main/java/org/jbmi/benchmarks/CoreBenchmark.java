package org.jbmi.benchmarks;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The cost of the core itself; the method carries nothing. */
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class CoreBenchmark extends AverageTimes {
    private static final int TAG = 7;

    /** The number of operations that are pending meanwhile. */
    @Param({"10", "10000"})
    public int pending;

    private Bmi bmi;
    private CompletionContext context;
    private PeerAddress nowhere;
    private MemorySegment buffer;
    private Completions done;

    /** Opens an instance with many pending operations. */
    @Setup(Level.Trial)
    public void open() {
        bmi = Bmi.open();
        context = bmi.openContext();
        nowhere = bmi.lookup("null://");
        buffer = Arena.ofAuto().allocate(64, 64);
        done = Completions.ofCapacity(1);
        for (int i = 0; i < pending; i++) {
            context.postReceive(nowhere, buffer, TAG);
        }
    }

    /** Closes it. */
    @TearDown(Level.Trial)
    public void close() {
        bmi.close();
    }

    /** The operation table alone: takes an operation, posts it, and gives it back. */
    @Benchmark
    public long postThatIsDoneAtOnce() {
        return context.postSend(nowhere, buffer, TAG);
    }

    /** The table and the report of a completion: one operation from its post to its test. */
    @Benchmark
    public int postCompleteTest() {
        long receive = context.postReceive(nowhere, buffer, TAG);
        context.postSend(nowhere, buffer, TAG);
        return context.test(receive, done, 0);
    }

    /** A test call that finds nothing. */
    @Benchmark
    public int testThatFindsNothing() {
        return context.testContext(done, 0);
    }
}
