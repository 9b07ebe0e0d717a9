package org.jbmi.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The cost of two commands of a server, a post and its cancel, over each command channel. */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class ChannelBenchmark extends AverageTimes {
    private static final int BYTES = 64;

    /** The command channel. */
    @Param({"ring", "posix-mq", "chronicle"})
    public String channel;

    private DaemonSetup setup;
    private MessagePair pair;

    /**
     * Starts a daemon of its own and opens both sides.
     *
     * @throws IOException if there is no place for the runtime directory
     */
    @Setup(Level.Trial)
    public void open() throws IOException {
        setup = DaemonSetup.open(channel);
        pair = setup.pair(BYTES);
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

    /** A post without a partner, and its cancel. */
    @Benchmark
    public int postAndCancel() {
        return pair.postAndCancel();
    }
}
