package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.core.operation.PostedFields;
import org.jbmi.spi.Operation;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Operations that expire: absolute and sliding deadlines, and what is left of them. */
class DeadlineTest extends ScriptedTest {
    private long receive(PostOptions options) {
        return context.postReceive(peer, buffer, 1, null, options);
    }

    private static void pause(long milliseconds) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    @Test
    void operationExpiresWhileItsCallerWaits() {
        long begun = System.nanoTime();
        long id = receive(PostOptions.NONE.withDeadlineMs(150));
        assertThat(context.test(id, done, LONG_MS)).isEqualTo(1);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(150_000_000L);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
        assertThat(method.heldIds()).as("the method let go of it").isEmpty();
        assertThat(inUse()).isZero();
    }

    @Test
    void operationExpiresInAnyTestCall() {
        long id = receive(PostOptions.NONE.withDeadlineMs(20));
        pause(25);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(id);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
        // The core alone tells the time where no method needs progress.
        long local =
                context.postReceive(
                        bmi.lookup("local://x"),
                        buffer,
                        1,
                        null,
                        PostOptions.NONE.withDeadlineMs(20));
        assertThat(context.test(local, done, LONG_MS)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
    }

    @Test
    void deadlinePostedWhileSomebodySleepsCutsThatSleep() {
        Call<Integer> call =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        receive(PostOptions.NONE.withDeadlineMs(30_000_000));
        long before = System.nanoTime();
        receive(PostOptions.NONE.withDeadlineMs(50));
        assertThat(call.result()).isEqualTo(1);
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(50_000_000L);
    }

    @Test
    void progressMovesAnIdleDeadline() {
        long id = receive(PostOptions.NONE.withIdleDeadlineMs(600));
        Operation operation = method.held(id);
        assertThat(operation.hasDeadline()).isTrue();
        long progressNs = 0;
        int taken = 0;
        for (int i = 0; i < 8 && taken == 0; i++) { // on a busy machine a wait may be too long
            progressNs = System.nanoTime();
            operation.progressed(progressNs);
            taken = context.test(id, done, 100);
        }
        if (taken == 0) {
            taken = context.test(id, done, LONG_MS);
        }
        assertThat(taken).isEqualTo(1);
        assertThat(System.nanoTime() - progressNs).isGreaterThanOrEqualTo(600_000_000L);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
    }

    @Test
    void absoluteDeadlineStopsTheSlidingOne() {
        PostOptions both = PostOptions.NONE.withIdleDeadlineMs(100).withDeadlineMs(250);
        long begun = System.nanoTime();
        long id = receive(both);
        Operation operation = method.held(id);
        int taken = 0;
        while (taken == 0) {
            operation.progressed(System.nanoTime());
            taken = context.test(id, done, 30);
        }
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ETIMEDOUT);
        assertThat((System.nanoTime() - begun) / 1_000_000).isBetween(250L, 10_000L);
    }

    @Test
    void transferThatRunsEndsWithItsRealOutcome() {
        long id = receive(PostOptions.NONE.withDeadlineMs(20));
        method.move(id);
        assertThat(context.test(id, done, 100)).isZero();
        method.complete(id, 0, 55);
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(done.sizeBytes(0)).isEqualTo(55);
    }

    @Test
    void completedOperationDoesNotExpireLater() {
        long id = receive(PostOptions.NONE.withDeadlineMs(20));
        method.complete(id, 0, 4);
        pause(30);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
    }

    /** What is left of a reported operation in the heap must not touch its next life. */
    @Test
    void deadlinesOfThePastDoNotHitWhatComesAfter() {
        for (int round = 0; round < 3; round++) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                ids.add(receive(PostOptions.NONE.withDeadlineMs(10)));
            }
            ids.forEach(id -> method.complete(id, 0, 1));
            int reported = 0;
            while (context.testContext(done, 0) > 0) {
                for (int k = 0; k < done.count(); k++) {
                    assertThat(done.outcome(k)).isIn(ErrorCode.SUCCESS, ErrorCode.ETIMEDOUT);
                }
                reported += done.count();
            }
            assertThat(reported).isEqualTo(64);
            for (int i = 0; i < 64; i++) {
                ids.set(i, receive());
            }
            pause(15);
            assertThat(context.testContext(done, 0)).as("round " + round).isZero();
            ids.forEach(id -> method.complete(id, 0, 1));
            while (context.testContext(done, 0) > 0) {
                assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
            }
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void manyExpireInTheOrderOfTheirTimes() {
        int[] times = {360, 310, 340, 320, 380, 330, 370, 350};
        for (int time : times) {
            receive(PostOptions.NONE.withDeadlineMs(time));
        }
        Map<Long, Long> deadlines = new HashMap<>();
        for (long id : method.heldIds()) {
            deadlines.put(id, PostedFields.deadlineNs(method.held(id)));
        }
        assertThat(deadlines).hasSize(times.length);
        List<Long> order = new ArrayList<>();
        while (order.size() < times.length) {
            assertThat(context.testContext(done, LONG_MS)).isPositive();
            for (int k = 0; k < done.count(); k++) {
                order.add(deadlines.get(done.id(k)));
            }
        }
        assertThat(order).isSorted();
    }

    @Test
    void postThatEndsAtOnceLeavesNoDeadline() {
        script.rule = (m, operation) -> 1;
        for (int i = 0; i < 100; i++) {
            receive(PostOptions.NONE.withDeadlineMs(5));
        }
        script.rule = org.jbmi.scripted.ScriptedMethod::hold;
        long id = receive();
        pause(10);
        assertThat(context.test(id, done, 0)).isZero();
    }
}
