package org.jbmi.benchmarks;

import org.jbmi.Bmi;
import org.jbmi.loopback.LoopbackHub;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of a loopback message for one thread: the posts of both sides, the copy, and the tests.
 * With the profiler {@code gc} it also shows the allocation, which must be 0.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class LoopbackBenchmark extends AverageTimes {
    /** Message size in bytes. */
    @Param({"64", "4096"})
    public int bytes;

    private MessagePair pair;

    /** Opens both sides. */
    @Setup(Level.Trial)
    public void open() {
        LoopbackHub hub = new LoopbackHub();
        String address = "loopback://server";
        pair =
                new MessagePair(
                        Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open(),
                        Bmi.builder().attach(LoopbackHub.class, hub).open(),
                        address,
                        bytes);
    }

    /** Closes both sides. */
    @TearDown(Level.Trial)
    public void close() {
        pair.close();
    }

    /** The receive is posted first, so the send completes at once and the receive by a test. */
    @Benchmark
    public long expectedReceiveFirst() {
        return pair.receiveFirst();
    }

    /** The send is posted first, so the receive completes at once and the send by a test. */
    @Benchmark
    public long expectedSendFirst() {
        return pair.sendFirst();
    }

    /** An unexpected request with an expected reply. */
    @Benchmark
    public long requestAndReply() {
        return pair.requestAndReply();
    }
}
