package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A socket is closed in the moment in which its connection is made. */
@Timeout(60)
class CloseWhileDialingTest {
    private static final int ROUNDS = 5000;
    private static final int SENDS = 3;
    private static final int BYTES = 100;
    private static final int MAX_WAIT_NS = 300_000;

    private volatile boolean over;
    private final Set<Long> pending = ConcurrentHashMap.newKeySet();
    private final Set<Long> ended = ConcurrentHashMap.newKeySet();
    private volatile int wrongSizes;
    private volatile int endedTwice;

    @Test
    void everySendEnds() throws Exception {
        long seed = System.nanoTime();
        System.out.println("CloseWhileDialingTest seed " + seed);
        Random random = new Random(seed);
        try (TcpBench server = TcpBench.server();
                TcpBench client = TcpBench.client()) {
            Thread taker = new Thread(() -> takeMessages(server), "taker");
            Thread lead = new Thread(() -> takeOutcomes(client.context), "lead");
            taker.start();
            lead.start();
            MemorySegment message = client.buffer(BYTES);
            for (int round = 0; round < ROUNDS; round++) {
                PeerAddress peer = client.lookup(server.port());
                for (int i = 0; i < SENDS; i++) {
                    long id = client.context.postSendUnexpected(peer, message, round);
                    if (PostResult.isPending(id)) {
                        pending.add(id);
                    }
                }
                long untilNs = System.nanoTime() + random.nextInt(MAX_WAIT_NS);
                while (System.nanoTime() < untilNs) {
                    Thread.onSpinWait();
                }
                peer.drop();
            }
            TcpBench.eventually(() -> ended.containsAll(pending), "every send ends");
            over = true;
            lead.join();
            taker.join();
            assertThat(wrongSizes).isZero();
            assertThat(endedTwice).isZero();
        }
    }

    private void takeMessages(TcpBench server) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(16);
        while (!over) {
            int count = server.bmi.testUnexpected(0, messages, 10);
            for (int i = 0; i < count; i++) {
                messages.free(i);
            }
        }
    }

    private void takeOutcomes(CompletionContext context) {
        Completions done = Completions.ofCapacity(16);
        while (!over) {
            int count = context.testContext(done, 10);
            for (int i = 0; i < count; i++) {
                if (done.outcome(i).isSuccess() && done.sizeBytes(i) != BYTES) {
                    wrongSizes++;
                }
                if (!ended.add(done.id(i))) {
                    endedTwice++;
                }
            }
        }
    }
}
