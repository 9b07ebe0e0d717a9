package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/**
 * The process of {@link ZoidAllocationTest}: nothing is allocated once everything has grown, by the
 * thread that drives both sides and by the engine's. A compiler that works in the background may
 * cost a little now and then: the best of several batches counts.
 */
final class AllocationMain {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long PATIENCE_NS = 80_000_000_000L;
    private static final int ROUNDS = 1000;
    private static final int TAG = 5;

    private final Completions done = Completions.ofCapacity(4);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
    private final Pair pair;
    private final long engineThread;

    private AllocationMain(ZoidWorld world) {
        pair = Pair.in(world);
        engineThread =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("zbmi-engine"))
                        .findFirst()
                        .orElseThrow()
                        .threadId();
    }

    /**
     * Runs one of the ways; ends with an error if it allocates.
     *
     * @param args "expected" or "unexpected"
     */
    public static void main(String[] args) {
        try (ZoidWorld world = ZoidWorld.started()) {
            AllocationMain main = new AllocationMain(world);
            if (args[0].equals("expected")) {
                main.expectedMessagesOfAllWays();
            } else {
                main.unexpectedMessagesOfAllWays();
            }
        }
        System.out.println("nothing");
    }

    private void assertAllocatesNothing(Runnable round) {
        long best = Long.MAX_VALUE;
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        // On a busy machine the compiler takes its time to do away with what needs no object.
        while (best >= ROUNDS && System.nanoTime() - giveUpNs < 0) {
            long before = allocated();
            for (int i = 0; i < ROUNDS; i++) {
                round.run();
            }
            best = Math.min(best, allocated() - before);
        }
        assertThat(best).as("bytes in " + ROUNDS + " rounds").isLessThan(ROUNDS);
    }

    private long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes()
                + THREADS.getThreadAllocatedBytes(engineThread);
    }

    private void finish(CompletionContext context, long result, long bytes) {
        long got = result;
        if (PostResult.isPending(result)) {
            int reported = context.test(result, done, 10_000);
            got = reported == 1 && done.outcome(0).isSuccess() ? done.sizeBytes(0) : -1;
        }
        if (got != bytes) {
            throw new AssertionError("result " + got + " instead of " + bytes);
        }
    }

    private void expected(MemorySegment ofServer, MemorySegment ofClient) {
        long bytes = ofClient.byteSize();
        CompletionContext server = pair.serverContext();
        CompletionContext client = pair.clientContext();
        long receive = server.postReceive(pair.toClient(), ofServer, TAG);
        finish(client, client.postSend(pair.toServer(), ofClient, TAG), bytes);
        finish(server, receive, bytes);
        long early = client.postSend(pair.toServer(), ofClient, TAG);
        long late = server.postReceive(pair.toClient(), ofServer, TAG);
        finish(client, early, bytes);
        finish(server, late, bytes);
        long send = server.postSend(pair.toClient(), ofServer, TAG);
        finish(client, client.postReceive(pair.toServer(), ofClient, TAG), bytes);
        finish(server, send, bytes);
    }

    private void expectedMessagesOfAllWays() {
        for (int bytes : new int[] {16, 800, 20_000}) {
            MemorySegment pooled = pair.toClient().allocate(bytes);
            try (Arena arena = Arena.ofShared()) {
                MemorySegment foreign = arena.allocate(bytes, 64);
                MemorySegment ofClient = arena.allocate(bytes, 64);
                assertAllocatesNothing(() -> expected(pooled, ofClient));
                assertAllocatesNothing(() -> expected(foreign, ofClient));
            }
            pair.server().free(pooled);
        }
    }

    private void unexpectedMessagesOfAllWays() {
        for (int bytes : new int[] {16, 800, 8000}) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment ofClient = arena.allocate(bytes, 64);
                assertAllocatesNothing(
                        () -> {
                            CompletionContext client = pair.clientContext();
                            long sent = client.postSendUnexpected(pair.toServer(), ofClient, TAG);
                            finish(client, sent, ofClient.byteSize());
                            if (pair.server().testUnexpected(messages, 10_000) != 1) {
                                throw new AssertionError("no message");
                            }
                            messages.free(0);
                        });
            }
        }
    }
}
