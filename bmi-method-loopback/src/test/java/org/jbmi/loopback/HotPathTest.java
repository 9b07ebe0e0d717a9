package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/** In steady state a message makes no garbage, whichever way it goes. */
@Timeout(60)
class HotPathTest {
    private static final int BATCHES = 6;
    private static final int ROUNDS = 20_000;

    /** What the measurement itself may cost; one byte a message would be more. */
    private static final long TOLERATED_BYTES = 1000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Arena arena;
    private Bmi bmi;
    private CompletionContext context;
    private PeerAddress self;
    private MemorySegment from;
    private MemorySegment to;
    private Completions done;
    private UnexpectedMessages messages;

    @BeforeEach
    void open() {
        arena = Arena.ofShared();
        bmi = Bmi.builder().listen("loopback://self").open();
        context = bmi.openContext();
        self = bmi.lookup("loopback://self");
        from = arena.allocate(64);
        to = arena.allocate(64);
        done = Completions.ofCapacity(4);
        messages = UnexpectedMessages.ofCapacity(1);
    }

    @AfterEach
    void close() {
        bmi.close();
        arena.close();
    }

    @Test
    void sendFirst() {
        check(this::sendFirstRound);
    }

    @Test
    void receiveFirst() {
        check(this::receiveFirstRound);
    }

    @Test
    void unexpected() {
        check(this::unexpectedRound);
    }

    @Test
    void cancelled() {
        check(this::cancelledRound);
    }

    private void sendFirstRound(int round) {
        long id = context.postSend(self, from, round);
        assertPending(id);
        long moved = context.postReceive(self, to, round);
        if (moved != 64 || context.test(id, done, 0) != 1 || done.sizeBytes(0) != 64) {
            throw new AssertionError("round " + round + " moved " + moved);
        }
    }

    private void receiveFirstRound(int round) {
        long id = context.postReceive(self, to, round);
        assertPending(id);
        long moved = context.postSend(self, from, round);
        if (moved != 64 || context.testContext(done, 0) != 1 || done.id(0) != id) {
            throw new AssertionError("round " + round + " moved " + moved);
        }
    }

    private void unexpectedRound(int round) {
        long moved = context.postSendUnexpected(self, from, round);
        if (moved != 64 || bmi.testUnexpected(messages, 0) != 1 || messages.tag(0) != round) {
            throw new AssertionError("round " + round + " moved " + moved);
        }
        messages.free(0);
    }

    private void cancelledRound(int round) {
        long id = context.postReceive(self, to, round);
        assertPending(id);
        context.cancel(id);
        if (context.testContext(done, 0) != 1 || done.id(0) != id) {
            throw new AssertionError("round " + round);
        }
    }

    private static void assertPending(long id) {
        if (!PostResult.isPending(id)) {
            throw new AssertionError("not pending: " + id);
        }
    }

    private interface Round {
        void run(int round);
    }

    /**
     * The best of several batches counts: a table that grows once, or the compiler, is no steady
     * state.
     */
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
