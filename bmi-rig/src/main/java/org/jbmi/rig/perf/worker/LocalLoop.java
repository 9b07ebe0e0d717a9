package org.jbmi.rig.perf.worker;

import org.HdrHistogram.Histogram;
import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Both sides in one thread, with two posts and two tests per round: the cost of a message without
 * waiting. It times batches, because one round takes little longer than reading the clock.
 */
final class LocalLoop implements AutoCloseable {
    private static final int BATCH = 256;
    private static final int TAG = 7;
    private static final long WAIT_MS = 10_000;

    private final CompletionContext serverContext;
    private final CompletionContext clientContext;
    private final PeerAddress toServer;
    private final PeerAddress toClient;
    private final Completions done = Completions.ofCapacity(1);
    private final Meter meter;
    private final Arena arena = Arena.ofShared();

    LocalLoop(Bmi server, Bmi client, String address) {
        serverContext = server.openContext();
        clientContext = client.openContext();
        meter = new Meter(server, client);
        toServer = client.lookup(address);
        MemorySegment hello = arena.allocate(1);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        long sent = clientContext.postSendUnexpected(toServer, hello, TAG);
        if (server.testUnexpected(messages, WAIT_MS) != 1) {
            throw new IllegalStateException("The server did not hear of its client.");
        }
        toClient = messages.peer(0);
        messages.free(0);
        clientContext.await(sent, WAIT_MS);
    }

    PhaseResult run(Phase phase) {
        MemorySegment out = arena.allocate(phase.bytes(), Long.BYTES);
        MemorySegment in = arena.allocate(phase.bytes(), Long.BYTES);
        Histogram latencies = PhaseResult.newHistogram();
        meter.watchThisThread();
        Meter.Reading before = meter.read();
        long startNs = System.nanoTime();
        long endNs = startNs + phase.millis() * RoundTrips.NS_PER_MS;
        long exchanges = 0;
        long now = startNs;
        while (now < endNs) {
            long from = now;
            for (int i = 0; i < BATCH; i++) {
                once(in, out);
            }
            now = System.nanoTime();
            latencies.recordValueWithCount(Math.max(1, (now - from) / BATCH), BATCH);
            exchanges += BATCH;
        }
        return PhaseResult.empty()
                .withClient(latencies, exchanges, now - startNs, before, meter.read());
    }

    private void once(MemorySegment in, MemorySegment out) {
        long receive = serverContext.postReceive(toClient, in, TAG);
        long send = clientContext.postSend(toServer, out, TAG);
        finish(serverContext, receive);
        finish(clientContext, send);
    }

    private void finish(CompletionContext context, long result) {
        Refusals.check(result);
        if (PostResult.isPending(result)) {
            if (context.test(result, done, WAIT_MS) != 1) {
                throw new IllegalStateException("A message was lost.");
            }
            Refusals.checkDone(done.outcome(0).negativeValue());
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
