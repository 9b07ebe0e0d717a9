package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.wire.Wire;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;

/**
 * What a call costs beside the two messages that it takes, posted by hand: both sides in one
 * thread, so that neither waking nor other processes count. As a program it prints the processor
 * time of both in turns: {@code CallCost METHOD [ROUNDS]}.
 */
final class CallCost implements AutoCloseable {
    private static final int TAG = 7;
    private static final int PER_ROUND = 2_000;
    private static final int RECEIVES = 50;
    private static final int REQUEST_BYTES = Wire.CALL_BYTES + Long.BYTES;
    private static final int REPLY_BYTES = Wire.REPLY_BYTES + Long.BYTES;

    private final Setup setup;
    private final ShipperServer server;
    private final Shipper client;
    private final PeerAddress address;
    private final RemoteFunction<Number, Number> next;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment request = arena.allocate(REQUEST_BYTES, Long.BYTES);
    private final MemorySegment answer = arena.allocate(REPLY_BYTES, Long.BYTES);
    private final MemorySegment reply = arena.allocate(REPLY_BYTES, Long.BYTES);
    private final CompletionContext serverContext;
    private final CompletionContext clientContext;
    private final Completions done = Completions.ofCapacity(4);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
    private final long[] received = new long[RECEIVES];
    private PeerAddress caller;
    private long number;

    CallCost(String method) throws IOException {
        setup = Setup.of(method);
        server = Shipper.builder(setup.server).withoutThreads().server();
        server.registerShort(
                "next", Number.class, Number.class, call -> new Number(call.input().value() + 1));
        server.start();
        client = Shipper.builder(setup.client).withoutThreads().client();
        address = setup.address();
        next = client.function("next", Number.class, Number.class);
        serverContext = setup.server.openContext();
        clientContext = setup.client.openContext();
    }

    void call() {
        ShippedCall<Number> call = next.forward(address, new Number(number++));
        while (!call.isDone()) {
            server.process(Duration.ZERO);
            client.progress(Duration.ZERO);
        }
        if (call.await(Duration.ZERO).value() != number) {
            throw new IllegalStateException("A wrong answer came.");
        }
    }

    void messages() {
        long receive = clientContext.postReceive(address, reply, TAG);
        long sent = clientContext.postSendUnexpected(address, request, TAG);
        int found = 0;
        while (found == 0) {
            found = setup.server.testUnexpected(messages, 0);
        }
        caller = messages.peer(0);
        messages.free(0);
        long replied = serverContext.postSend(caller, answer, TAG);
        finish(setup.client, clientContext, receive);
        finish(setup.client, clientContext, sent);
        finish(setup.server, serverContext, replied);
    }

    /** Processor time of this thread for the post alone of a receive whose message comes later. */
    private double receiveNs() {
        var threads = ManagementFactory.getThreadMXBean();
        long spentNs = 0;
        for (int round = 0; round < PER_ROUND / RECEIVES; round++) {
            long before = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < RECEIVES; i++) {
                received[i] = clientContext.postReceive(address, reply, TAG);
            }
            spentNs += threads.getCurrentThreadCpuTime() - before;
            for (int i = 0; i < RECEIVES; i++) {
                long replied = serverContext.postSend(caller, answer, TAG);
                finish(setup.client, clientContext, received[i]);
                finish(setup.server, serverContext, replied);
            }
        }
        return spentNs / (double) PER_ROUND;
    }

    private void finish(Bmi bmi, CompletionContext context, long result) {
        if (PostResult.isRefused(result) || bmi.isClosed()) {
            throw new IllegalStateException("A post was refused.");
        }
        int count = PostResult.isPending(result) ? 0 : 1;
        while (count == 0) {
            count = context.test(result, done, 0);
        }
    }

    /** The least that one of many allocates in this thread. */
    static long leastBytes(Runnable work, int rounds) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            work.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    /** Processor time of this thread, for one. */
    private static double ns(Runnable work) {
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < PER_ROUND; i++) {
            work.run();
        }
        return (threads.getCurrentThreadCpuTime() - before) / (double) PER_ROUND;
    }

    public static void main(String[] args) throws IOException {
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        try (CallCost cost = new CallCost(args[0])) {
            double[] calls = new double[rounds];
            double[] messages = new double[rounds];
            double[] receives = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                calls[i] = ns(cost::call);
                messages[i] = ns(cost::messages);
                receives[i] = cost.receiveNs();
            }
            calls = sortedLaterHalf(calls);
            messages = sortedLaterHalf(messages);
            receives = sortedLaterHalf(receives);
            System.out.printf(
                    "%s: call %.0f ns, messages by hand %.0f ns (medians; least %.0f, %.0f); %d B a"
                            + " call, %d B by hand%n",
                    args[0],
                    calls[calls.length / 2],
                    messages[messages.length / 2],
                    calls[0],
                    messages[0],
                    leastBytes(cost::call, PER_ROUND),
                    leastBytes(cost::messages, PER_ROUND));
            System.out.printf(
                    "%s: the post of a receive %.0f ns (least %.0f)%n",
                    args[0], receives[receives.length / 2], receives[0]);
        }
    }

    /** What was measured when the code was compiled. */
    private static double[] sortedLaterHalf(double[] measured) {
        double[] later = Arrays.copyOfRange(measured, measured.length / 2, measured.length);
        Arrays.sort(later);
        return later;
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        arena.close();
        setup.close();
    }
}
