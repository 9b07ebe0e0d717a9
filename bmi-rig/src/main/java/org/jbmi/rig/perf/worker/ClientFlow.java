package org.jbmi.rig.perf.worker;

import org.HdrHistogram.Histogram;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One client thread of one phase: it agrees with the server, sends, and gets the costs. */
abstract class ClientFlow implements AutoCloseable {
    private static final int ROOM = 64;
    private static final long ANSWER_MS = 30_000;
    private static final int TEST_CALLS = 2_000;
    private static final int TEST_BATCHES = 9;

    final CompletionContext context;
    final PeerAddress server;
    final int number;
    final Phase phase;
    final WaitMode wait;
    final Histogram latencies;
    final Completions done = Completions.ofCapacity(ROOM);
    final Arena arena;

    /** Exchanges finished. */
    long exchanges;

    /** Messages sent; the server gets this number at the end. */
    long sent;

    /** Replies with wrong contents. */
    long wrong;

    private final MemorySegment request;
    private final MemorySegment answer;
    private Meter.@Nullable Reading serverBefore;
    private Meter.@Nullable Reading serverAfter;
    private @Nullable PendingReceives pending;

    ClientFlow(Setup setup) {
        context = setup.context();
        server = setup.server();
        number = setup.number();
        Shared shared = setup.shared();
        phase = shared.phase();
        arena = shared.arena();
        wait = shared.mode();
        latencies = PhaseResult.newHistogram(shared.hasManyThreads());
        request = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
        answer = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
    }

    /**
     * What the flows of a phase share.
     *
     * @param arena of their buffers, whose owner closes it behind the last flow. To close one stops
     *     all threads of the process for a moment, which a thousand flows must not do one by one
     * @param hasManyThreads whether the threads are many, so that each gets less memory
     */
    record Shared(Phase phase, Arena arena, WaitMode mode, boolean hasManyThreads) {}

    /**
     * What a flow gets.
     *
     * @param number its number among the flows of its instance, which makes its tags
     * @param shared what all flows of the phase share
     */
    record Setup(CompletionContext context, PeerAddress server, int number, Shared shared) {}

    /** Makes the flow that a phase asks for. */
    static ClientFlow of(Setup setup) {
        return switch (setup.shared().phase().pattern()) {
            case PINGPONG, RPC -> new RoundTrips(setup);
            case RATE -> new OpenLoop(setup);
            case STREAM -> new Stream(setup);
            case IDLE -> new Idle(setup);
            case CALL, PULL, PUSH, FORWARD ->
                    throw new IllegalArgumentException("Calls go through a shipper.");
            case LOCAL ->
                    throw new BmiException(
                            ErrorCode.EINVAL, "The pattern local is for loopback alone.");
        };
    }

    /** Tells the server the phase, and waits until it is ready. */
    final void open() {
        converse(PhaseProtocol.OPEN);
        if (phase.pending() > 0) {
            pending = new PendingReceives(context, server, number, phase.pending());
        }
        opened();
    }

    /**
     * Asks what the server has spent until now. A spinning server also spends time while its
     * clients wait for each other.
     */
    final void begin() {
        serverBefore = converse(PhaseProtocol.READ);
    }

    /** Called when the server is ready, before the time counts. */
    void opened() {}

    /** Sends for the time of the phase, and returns when all replies have come. */
    abstract void run();

    /** Tells the server that everything is sent; returns when the server has received it. */
    final void end() {
        serverAfter = converse(PhaseProtocol.END);
        wrong += PhaseProtocol.wrong(answer);
        if (wrong > 0) {
            throw new BmiException(ErrorCode.EIO, wrong + " messages were damaged on their way.");
        }
    }

    private Meter.Reading converse(int what) {
        int tag = PhaseProtocol.controlTag(number);
        long receive = context.postReceive(server, answer, tag);
        Refusals.check(receive);
        PhaseProtocol.ask(request, what, phase, sent);
        // A thread that takes expected messages seldom looks for unexpected ones while it spins.
        boolean isExpected = what == PhaseProtocol.END && phase.hasExpectedRequests();
        long send =
                isExpected
                        ? context.postSend(server, request, tag)
                        : context.postSendUnexpected(server, request, tag);
        context.await(send, ANSWER_MS);
        context.await(receive, ANSWER_MS);
        int refusal = PhaseProtocol.refusal(answer);
        if (refusal != 0) {
            throw new BmiException(
                    ErrorCode.ENOBUFS,
                    "The server cannot take these messages: " + ErrorCode.ofOutcome(refusal) + ".");
        }
        return PhaseProtocol.reading(answer);
    }

    /** The costs; the server's are those between the two requests. */
    final PhaseResult.Costs costs(double testCallNs) {
        Meter.Reading before = serverBefore;
        Meter.Reading after = serverAfter;
        if (before == null || after == null) {
            throw new IllegalStateException("The phase has not ended.");
        }
        return new PhaseResult.Costs(Meter.Reading.NONE, before, after, testCallNs);
    }

    /** The time of a test call that finds nothing: the best of several batches, in nanoseconds. */
    final double testCallNs() {
        long best = Long.MAX_VALUE;
        for (int batch = 0; batch < TEST_BATCHES; batch++) {
            long before = System.nanoTime();
            for (int i = 0; i < TEST_CALLS; i++) {
                context.testContext(done, 0);
            }
            best = Math.min(best, System.nanoTime() - before);
        }
        return best / (double) TEST_CALLS;
    }

    @Override
    public void close() {
        if (pending != null) {
            pending.close();
        }
    }

    /** Sends nothing: waits in a test call for the whole time. */
    private static final class Idle extends ClientFlow {
        Idle(Setup setup) {
            super(setup);
        }

        @Override
        void run() {
            context.testContext(done, phase.millis());
        }
    }
}
