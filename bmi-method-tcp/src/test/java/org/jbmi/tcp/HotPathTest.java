package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/** In steady state a message makes no garbage on either side, small or large. */
@Timeout(60)
class HotPathTest {
    private static final int BATCHES = 6;
    private static final int ROUNDS = 4000;
    private static final int LARGE_BATCHES = 60;
    private static final int LARGE_ROUNDS = 100;

    /** What the measurement itself may cost, and the selector's housekeeping. */
    private static final long TOLERATED_BYTES = 8000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Completions done = Completions.ofCapacity(4);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
    private TcpBench server;
    private TcpBench client;
    private PeerAddress up;
    private PeerAddress back;
    private MemorySegment from;
    private MemorySegment to;

    @BeforeEach
    void open() {
        server = TcpBench.server();
        client = TcpBench.client();
        up = client.lookup(server.port());
        from = client.buffer(16_384);
        to = server.buffer(16_384);
        long hello = client.context.postSendUnexpected(up, from.asSlice(0, 1), 0);
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return server.bmi.testUnexpected(messages, 1) == 1;
                },
                "the first message");
        back = messages.peer(0);
        messages.free(0);
        assertThat(client.await(hello)).isEqualTo(1);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void receiveFirst() {
        check(
                round -> {
                    long receive = server.context.postReceive(back, to, round);
                    finish(client, client.context.postSend(up, from, round));
                    finish(server, receive);
                });
    }

    @Test
    void sendFirst() {
        check(
                round -> {
                    finish(client, client.context.postSend(up, from, round));
                    server.context.testContext(done, 0);
                    finish(server, server.context.postReceive(back, to, round));
                });
    }

    @Test
    void unexpected() {
        check(
                round -> {
                    finish(client, client.context.postSendUnexpected(up, from, round));
                    while (server.bmi.testUnexpected(messages, 0) == 0) {
                        Thread.onSpinWait();
                    }
                    messages.free(0);
                });
    }

    /**
     * A message allocates no byte. One batch of many must show that: on a busy machine a garbage
     * collection or a compilation may add bytes to a batch, but none can make them fewer.
     */
    @ParameterizedTest
    @ValueSource(ints = {600_000, 1 << 20})
    void large(int sizeBytes) {
        MemorySegment out = client.pattern(sizeBytes, 1);
        MemorySegment in = server.buffer(sizeBytes);
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < LARGE_BATCHES && least >= LARGE_ROUNDS; batch++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < LARGE_ROUNDS; i++) {
                long receive = server.context.postReceive(back, in, i);
                long send = client.context.postSend(up, out, i);
                boolean isReceived = !PostResult.isPending(receive);
                boolean isSent = !PostResult.isPending(send);
                while (!isReceived || !isSent) {
                    isSent = isSent || client.context.test(send, done, 0) == 1;
                    isReceived = isReceived || server.context.test(receive, done, 0) == 1;
                }
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        TcpBench.expectPattern(in, sizeBytes, 1);
        assertThat(least).as("bytes for %d messages", LARGE_ROUNDS).isLessThan(LARGE_ROUNDS);
    }

    private void finish(TcpBench bench, long result) {
        if (PostResult.isPending(result)) {
            while (bench.context.test(result, done, 0) == 0) {
                Thread.onSpinWait();
            }
        } else if (result < 0) {
            throw new AssertionError("refused with " + result);
        }
    }

    private interface Round {
        void run(int round);
    }

    /** The best of several batches counts: a table that grows once is no steady state. */
    private void check(Round round) {
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES; batch++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                round.run(i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(TOLERATED_BYTES);
    }
}
