package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Nothing is allocated once everything has grown. A compiler that works in the background, or two
 * threads that meet at a lock, may cost a little now and then: the best of several batches counts.
 */
class AllocationTest extends ScriptedTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BATCHES = 12;

    private final MemorySegment[] list = {buffer.asSlice(0, 8), buffer.asSlice(8, 8)};
    private final PostOptions deadline = PostOptions.NONE.withDeadlineMs(LONG_MS);
    private final long[] ids = new long[4];
    private PeerAddress local;
    private volatile Operation last;

    @BeforeEach
    void keepTheLast() {
        local = bmi.lookup("local://x");
        script.rule =
                (m, operation) -> {
                    last = operation;
                    return Method.PENDING;
                };
    }

    private void completeLast() {
        method.host().complete(last, 0, 8);
    }

    private static void assertAllocatesNothing(int rounds, Runnable round) {
        long best = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES && best > 0; batch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                round.run();
            }
            best = Math.min(best, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(best).as("bytes in " + rounds + " rounds").isLessThan(rounds / 100);
    }

    @Test
    void postCompleteTest() {
        assertAllocatesNothing(
                20_000,
                () -> {
                    long id = context.postReceive(local, buffer, 1, this, PostOptions.NONE);
                    context.test(id, done, 0);
                    completeLast();
                    context.test(id, done, 0);
                });
        assertThat(inUse()).isZero();
    }

    @Test
    void postCompleteTestContextAndTestSome() {
        assertAllocatesNothing(
                20_000,
                () -> {
                    context.postSend(peer, buffer, 1);
                    context.testContext(done, 0);
                    completeLast();
                    context.testContext(done, 0);
                    ids[1] = context.postSendUnexpected(peer, buffer, 1);
                    completeLast();
                    context.testSome(ids, 2, done, 0);
                });
        assertThat(inUse()).isZero();
    }

    @Test
    void listsHeapBuffersAndDeadlines() {
        MemorySegment heap = MemorySegment.ofArray(new byte[16]);
        assertAllocatesNothing(
                20_000,
                () -> {
                    context.postSendList(peer, list, 16, 1, null, deadline);
                    completeLast();
                    context.testContext(done, 0);
                    context.postReceive(peer, heap, 1);
                    completeLast();
                    context.testContext(done, 0);
                });
        assertThat(inUse()).isZero();
    }

    @Test
    void postsThatEndAtOnceAndCancels() {
        assertAllocatesNothing(
                20_000,
                () -> {
                    long id = context.postReceive(peer, buffer, 1);
                    context.cancel(id + (1L << 40)); // which nobody has
                    completeLast();
                    context.test(id, done, 0);
                });
        script.cancelRule =
                (m, operation, id, code) -> {
                    m.host().complete(operation, code, 0);
                    return CancelOutcome.CANCELLED;
                };
        assertAllocatesNothing(
                20_000,
                () -> {
                    long id = context.postReceive(peer, buffer, 1);
                    if (context.cancel(id) != CancelOutcome.CANCELLED
                            || context.test(id, done, 0) != 1) {
                        throw new AssertionError("not cancelled");
                    }
                });
        script.rule = (m, operation) -> 5;
        assertAllocatesNothing(20_000, () -> context.postReceive(peer, buffer, 1));
        assertThat(inUse()).isZero();
    }

    @Test
    void unexpectedMessages() {
        MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
        var sender = script.method("local").address("sender");
        var host = script.method("local").host();
        script.method("local").countOnly = true;
        assertAllocatesNothing(
                20_000,
                () -> {
                    host.deliverUnexpected(sender, 1, 0, ErrorCode.SUCCESS, memory, 0, 10, 1);
                    host.deliverUnexpected(sender, 2, 0, ErrorCode.SUCCESS, memory, 64, 10, 2);
                    bmi.testUnexpected(messages, 0);
                    if (messages.sizeBytes(0) + messages.offset(1) != 74) {
                        throw new AssertionError("wrong message");
                    }
                    messages.free(1);
                    messages.free(0);
                });
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
    }

    /** Waits that end by time. */
    @Test
    void waitsWithoutEvents() {
        long id = context.postReceive(local, buffer, 1);
        ids[0] = id;
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        assertAllocatesNothing(
                150,
                () -> {
                    context.test(id, done, 1);
                    context.testSome(ids, 1, done, 1);
                    context.testContext(done, 1);
                    bmi.testUnexpected(messages, 1);
                });
    }

    /** Waits that another thread ends: neither side allocates. */
    @Test
    void waitsThatAreEndedByAnotherThread() {
        int rounds = 2_000;
        long[] bestOfCompleter = {Long.MAX_VALUE};
        Call<Integer> completer =
                start(
                        () -> {
                            for (int batch = 0; batch < BATCHES; batch++) {
                                long before = THREADS.getCurrentThreadAllocatedBytes();
                                for (int i = 0; i < rounds; i++) {
                                    Operation next = awaitNext();
                                    method.host().complete(next, 0, 8);
                                }
                                bestOfCompleter[0] =
                                        Math.min(
                                                bestOfCompleter[0],
                                                THREADS.getCurrentThreadAllocatedBytes() - before);
                            }
                            return 0;
                        });
        long best = Long.MAX_VALUE;
        CompletionContext own = context;
        Completions mine = Completions.ofCapacity(1);
        for (int batch = 0; batch < BATCHES; batch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                long id = own.postReceive(local, buffer, 1);
                LockSupport.unpark(completer.thread);
                int taken;
                if ((i & 1) == 0) {
                    taken = own.test(id, mine, LONG_MS);
                } else {
                    ids[0] = id;
                    taken = own.testSome(ids, 1, mine, LONG_MS);
                }
                if (taken != 1) {
                    throw new AssertionError("round " + i + ": " + taken);
                }
            }
            best = Math.min(best, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        completer.result();
        assertThat(best).as("bytes of the waiting thread").isLessThan(8L * rounds);
        assertThat(bestOfCompleter[0]).as("bytes of the other").isLessThan(8L * rounds);
    }

    private Operation awaitNext() {
        Operation next = last;
        while (next == null) {
            LockSupport.parkNanos(this, 20_000);
            next = last;
        }
        last = null;
        return next;
    }
}
