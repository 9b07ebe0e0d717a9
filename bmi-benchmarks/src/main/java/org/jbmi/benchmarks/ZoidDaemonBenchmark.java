package org.jbmi.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The cost of a message through the zoid daemon, with daemon, server and client in one process. One
 * thread drives both ends, so that the waits are real. The profiler {@code gc} counts the
 * allocation of all threads, including the daemon's, which must be 0.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class ZoidDaemonBenchmark extends AverageTimes {
    /** Message size in bytes. */
    @Param({"64", "8192"})
    public int bytes;

    private DaemonSetup setup;
    private MessagePair pair;

    /**
     * Starts a daemon of its own and opens both sides.
     *
     * @throws IOException if there is no place for the runtime directory
     */
    @Setup(Level.Trial)
    public void open() throws IOException {
        setup = DaemonSetup.open("ring");
        pair = setup.pair(bytes);
    }

    /**
     * Closes everything.
     *
     * @throws IOException if something is left in the directory
     */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        pair.close();
        setup.close();
    }

    /** The server posts its receive first. */
    @Benchmark
    public long expectedReceiveFirst() {
        return pair.receiveFirst();
    }

    /** The server posts its send first. */
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
