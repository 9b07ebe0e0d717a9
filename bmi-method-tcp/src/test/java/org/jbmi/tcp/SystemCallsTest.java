package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;

/** How often the system is called: for a message, and by somebody who waits for nothing. */
@Timeout(60)
class SystemCallsTest {
    private static final int MESSAGES = 500;

    /** One call more in so many is what a busy machine may add. */
    private static final int SPARE = MESSAGES / 20;

    private static final int IDLE_MS = 1_500;

    /**
     * A sleep lasts a second unless something has a time, as what was before may have for a moment;
     * each is followed by a look. Sleeps of 50 ms would make 60 calls.
     */
    private static final long IDLE_CALLS = 20;

    private static final int ATTEMPTS = 20;
    private static final long LONG_SLEEP_NS = 900_000_000;

    /** Five of them take as long as a header may be incomplete here. */
    private static final int LOOK_MS = 20;

    private static final int MANY_LOOKS = 50;
    private static final byte[] HALF_A_HEADER = {(byte) 0xC8, (byte) 0xCA, 0, 0, 4};
    private static final long LONG_MS = 50_000;
    private static final int TAG = 7;
    private static final int BYTES = 64;

    private final Completions done = Completions.ofCapacity(1);
    private TcpBench server;
    private TcpBench client;
    private PeerAddress up;
    private PeerAddress back;

    @BeforeEach
    void open() {
        server = TcpBench.server("bmi.wait", "block", "tcp.headerTimeoutMs", "100");
        client = TcpBench.client("bmi.wait", "block");
        up = client.lookup(server.port());
        long hello = client.context.postSendUnexpected(up, client.buffer(1), 0);
        if (PostResult.isPending(hello)) {
            client.await(hello);
        }
        back = server.meet();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    /** The sleep in the selector, the read and the write: nothing else, on either side. */
    @Test
    void aMessageTakesThreeCallsWhereBothSidesSleep() throws Exception {
        List<TcpBench> both = List.of(client, server);
        long[] before = both.stream().mapToLong(SystemCallsTest::calls).toArray();
        FutureTask<Void> echo = new FutureTask<>(this::echo, null);
        Thread.ofPlatform().name("echo").start(echo);
        MemorySegment out = client.buffer(BYTES);
        MemorySegment in = client.buffer(BYTES);
        for (int i = 0; i < MESSAGES; i++) {
            exchange(out, in);
        }
        echo.get();
        for (int i = 0; i < before.length; i++) {
            assertThat(calls(both.get(i)) - before[i])
                    .as("calls of " + (i == 0 ? "the client" : "the server"))
                    .isBetween(2L * MESSAGES, 3L * MESSAGES + SPARE);
        }
    }

    private void echo() {
        MemorySegment out = server.buffer(BYTES);
        MemorySegment in = server.buffer(BYTES);
        Completions here = Completions.ofCapacity(1);
        for (int i = 0; i < MESSAGES; i++) {
            await(server, server.context.postReceive(back, in, TAG), here);
            await(server, server.context.postSend(back, out, TAG), here);
        }
    }

    private void exchange(MemorySegment out, MemorySegment in) {
        long receive = client.context.postReceive(up, in, TAG);
        await(client, client.context.postSend(up, out, TAG), done);
        await(client, receive, done);
    }

    private static void await(TcpBench bench, long result, Completions room) {
        assertThat(PostResult.isRefused(result)).isFalse();
        if (PostResult.isPending(result)) {
            assertThat(bench.context.test(result, room, LONG_MS)).isEqualTo(1);
            assertThat(room.outcome(0).isSuccess()).isTrue();
        }
    }

    private static long calls(TcpBench bench) {
        return bench.counter("tcp.selects")
                + bench.counter("tcp.reads")
                + bench.counter("tcp.writes");
    }

    @Test
    void aClientThatWaitsForNothingHardlyWakes() {
        client.context.postReceive(up, client.buffer(1), TAG);
        long before = calls(client);
        assertThat(client.context.testContext(done, IDLE_MS)).isZero();
        assertThat(calls(client) - before).isBetween(1L, IDLE_CALLS);
    }

    @Test
    void aServerThatWaitsForNothingHardlyWakes() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        long before = calls(server);
        assertThat(server.bmi.testUnexpected(messages, IDLE_MS)).isZero();
        assertThat(calls(server) - before).isBetween(1L, IDLE_CALLS);
    }

    /**
     * Long sleeps make no deadline late: one of some attempts, since the machine may be busy, takes
     * less than a sleep that looks for nothing.
     */
    @Test
    void whatHasATimeIsLookedAtInTime() throws Exception {
        FutureTask<Integer> waiter =
                new FutureTask<>(
                        () -> server.bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS));
        Thread.ofPlatform().name("waiter").start(waiter);
        long bestNs = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && bestNs >= LONG_SLEEP_NS; i++) {
            bestNs = Math.min(bestNs, untilDropped());
        }
        long last = client.context.postSendUnexpected(up, client.buffer(1), 0);
        await(client, last, done);
        assertThat(waiter.get()).isEqualTo(1);
        assertThat(bestNs).isLessThan(LONG_SLEEP_NS);
    }

    /**
     * A lead looks into the socket that was busy last whenever it is awake. Looks in vain restarted
     * the time of a message that stands still, some two hundred of them.
     */
    @Test
    void looksInVainDoNotRestartATime() throws Exception {
        try (RawPeer bad = server.raw()) {
            bad.bytes(HALF_A_HEADER, HALF_A_HEADER.length);
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.accepted") == 2;
                    },
                    "accepted");
            int looks = 0;
            while (server.counter("tcp.connections") == 2 && looks < MANY_LOOKS) {
                server.drive(LOOK_MS);
                looks++;
            }
            assertThat(looks).isLessThan(MANY_LOOKS);
            assertThat(bad.isClosed()).isTrue();
        }
    }

    private long untilDropped() throws IOException {
        try (RawPeer bad = server.raw()) {
            long beginNs = System.nanoTime();
            bad.bytes(HALF_A_HEADER, HALF_A_HEADER.length);
            assertThat(bad.isClosed()).isTrue();
            return System.nanoTime() - beginNs;
        }
    }
}
