package org.jbmi.benchmarks;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * What a message through loopback costs one thread: the posts of both sides, the copy, and the
 * tests. With the profiler {@code gc} it also shows what is allocated, which must be nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class LoopbackBenchmark {
    private static final int TAG = 7;

    /** Message size in bytes. */
    @Param({"64", "4096"})
    public int bytes;

    private Bmi server;
    private Bmi client;
    private CompletionContext serverContext;
    private CompletionContext clientContext;
    private PeerAddress toServer;
    private PeerAddress toClient;
    private MemorySegment out;
    private MemorySegment in;
    private Completions done;
    private UnexpectedMessages messages;

    /** Opens both sides and lets the server learn who its client is. */
    @Setup(Level.Trial)
    public void open() {
        LoopbackHub hub = new LoopbackHub();
        server = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://server").open();
        client = Bmi.builder().attach(LoopbackHub.class, hub).open();
        serverContext = server.openContext();
        clientContext = client.openContext();
        toServer = client.lookup("loopback://server");
        out = Arena.ofAuto().allocate(bytes, 64);
        in = Arena.ofAuto().allocate(bytes, 64);
        done = Completions.ofCapacity(4);
        messages = UnexpectedMessages.ofCapacity(4);
        clientContext.postSendUnexpected(toServer, out.asSlice(0, 1), TAG);
        server.testUnexpected(messages, 1_000);
        toClient = messages.peer(0);
        messages.free(0);
    }

    /** Closes both sides. */
    @TearDown(Level.Trial)
    public void close() {
        client.close();
        server.close();
    }

    /** The receive is there first, so the send completes at once and the receive by a test. */
    @Benchmark
    public long expectedReceiveFirst() {
        long receive = serverContext.postReceive(toClient, in, TAG);
        long sent = clientContext.postSend(toServer, out, TAG);
        return sent + serverContext.test(receive, done, 0);
    }

    /** The send is there first, so the receive completes at once and the send by a test. */
    @Benchmark
    public long expectedSendFirst() {
        long send = clientContext.postSend(toServer, out, TAG);
        long received = serverContext.postReceive(toClient, in, TAG);
        return received + clientContext.test(send, done, 0);
    }

    /** An unexpected request with an expected reply, as a forwarder's smallest call. */
    @Benchmark
    public long requestAndReply() {
        long reply = clientContext.postReceive(toServer, in, TAG);
        clientContext.postSendUnexpected(toServer, out, TAG);
        server.testUnexpected(messages, 0);
        serverContext.postSend(messages.peer(0), out, messages.tag(0));
        messages.free(0);
        return clientContext.test(reply, done, 0);
    }
}
