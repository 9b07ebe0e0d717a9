package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Callers that block: who is woken, by what, and what everybody else sees. */
class WaitingTest extends ScriptedTest {
    private static Completions room() {
        return Completions.ofCapacity(4);
    }

    @Test
    void waitEndsWithTheOperation() {
        long id = receive();
        Completions mine = room();
        Call<Integer> call = start(() -> context.test(id, mine, LONG_MS)).asleep();
        method.complete(id, 0, 8);
        assertThat(call.result()).isEqualTo(1);
        assertThat(mine.sizeBytes(0)).isEqualTo(8);
        assertThat(method.waitsBegun.get()).isEqualTo(1);
        assertThat(method.waitsOver.get()).isEqualTo(1);
    }

    @Test
    void newsThatOnlyProgressFindsEndTheWait() {
        long id = receive();
        Call<Integer> call = start(() -> context.test(id, room(), LONG_MS)).asleep();
        method.remote(() -> method.complete(id));
        assertThat(call.result()).isEqualTo(1);
    }

    /** The oldest waits as the lead, and it is for the oldest that both are meant. */
    @Test
    void whatACallWasWokenForThatFailsGoesToTheNext() {
        long id = receive();
        Call<Integer> failing = start(() -> context.testContext(room(), LONG_MS)).asleep();
        Call<Integer> next = start(() -> context.testContext(room(), LONG_MS)).asleep();
        method.remote(
                () -> {
                    method.complete(id);
                    throw new IllegalStateException("planted");
                });
        assertThatThrownBy(failing::result).hasRootCauseMessage("planted");
        assertThat(next.result()).isEqualTo(1);
    }

    @Test
    void unexpectedMessageOfACallThatFailsGoesToTheNext() {
        Call<Integer> failing = start(() -> bmi.testUnexpected(9, messages(), LONG_MS)).asleep();
        Call<Integer> next = start(() -> bmi.testUnexpected(9, messages(), LONG_MS)).asleep();
        method.remote(
                () -> {
                    method.deliver("sender", 1, 9, 1);
                    throw new IllegalStateException("planted");
                });
        assertThatThrownBy(failing::result).hasRootCauseMessage("planted");
        assertThat(next.result()).isEqualTo(1);
    }

    private static UnexpectedMessages messages() {
        return UnexpectedMessages.ofCapacity(1);
    }

    @Test
    void hugeTimesDoNotOverflow() {
        for (long huge : new long[] {Integer.MAX_VALUE, Long.MAX_VALUE / 2, Long.MAX_VALUE}) {
            long id = receive();
            Call<Integer> call = start(() -> context.test(id, room(), huge)).asleep();
            method.complete(id);
            assertThat(call.result()).isEqualTo(1);
        }
    }

    @Test
    void claimedOperationIsNobodyElses() {
        long id = receive();
        Call<Integer> call = start(() -> context.test(id, room(), LONG_MS)).asleep();
        Call<Integer> other = start(() -> context.testContext(room(), LONG_MS)).asleep();
        method.complete(id);
        assertThat(call.result()).isEqualTo(1);
        assertThat(other.isDone()).isFalse();
        long more = receive();
        method.complete(more);
        assertThat(other.result()).isEqualTo(1);
    }

    @Test
    void oneOfTwoCallersOnOneIdGetsItAndTheOtherIsTold() {
        for (int round = 0; round < 50; round++) {
            long id = receive();
            Call<ErrorCode> one = start(() -> outcome(id)).asleep();
            Call<ErrorCode> two = start(() -> outcome(id)).asleep();
            Call<ErrorCode> three = start(() -> outcome(id)).asleep();
            method.complete(id);
            assertThat(List.of(one.result(), two.result(), three.result()))
                    .containsExactlyInAnyOrder(
                            ErrorCode.SUCCESS, ErrorCode.EINVAL, ErrorCode.EINVAL);
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void whoTakesAClaimedOperationWakesItsClaimant() {
        long id = receive();
        Call<ErrorCode> one = start(() -> outcome(id)).asleep();
        // Completed without anybody looking: the claimant and this thread race for it.
        method.complete(id);
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(List.of(done.outcome(0), one.result()))
                .containsExactlyInAnyOrder(ErrorCode.SUCCESS, ErrorCode.EINVAL);
    }

    private ErrorCode outcome(long id) {
        Completions own = room();
        assertThat(context.test(id, own, LONG_MS)).isEqualTo(1);
        return own.outcome(0);
    }

    @Test
    void aClaimThatTimedOutLeavesTheOperationToEverybody() {
        long id = receive();
        assertThat(context.test(id, done, 5)).isZero();
        method.complete(id);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
    }

    /** Its waiter is somebody else's by then, or stands in nobody's place. */
    @Test
    void callThatTimedOutTakesNoCompletionOfOthers() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        assertThat(context.testContext(done, 1)).isZero();
        assertThat(bmi.testUnexpected(messages, 1)).isZero();
        long id = receive();
        Call<Integer> lead = start(() -> context.test(id, room(), LONG_MS)).asleep();
        Call<Integer> poller = start(() -> context.testContext(room(), LONG_MS)).asleep();
        method.complete(receive());
        assertThat(poller.result()).isEqualTo(1);
        Call<Integer> taker = start(() -> bmi.testUnexpected(messages, LONG_MS)).asleep();
        method.deliver("sender", 1, 0, 1);
        assertThat(taker.result()).isEqualTo(1);
        assertThat(lead.isDone()).isFalse();
        method.complete(id);
        assertThat(lead.result()).isEqualTo(1);
    }

    @Test
    void testSomeWaitsForAnyOfIts() {
        long a = receive();
        long b = receive();
        long c = receive();
        Completions mine = room();
        long[] ids = {a, 0, b};
        Call<Integer> call = start(() -> context.testSome(ids, 3, mine, LONG_MS)).asleep();
        java.util.Arrays.fill(ids, -1); // the array is the caller's again
        method.complete(c);
        assertThat(context.testContext(done, 1000)).isEqualTo(1);
        assertThat(call.isDone()).isFalse();
        method.complete(b);
        assertThat(call.result()).isEqualTo(1);
        assertThat(mine.id(0)).isEqualTo(b);
        assertThat(mine.index(0)).isEqualTo(2);
        method.complete(a);
        assertThat(context.testContext(done, 0)).as("the claim on the other is over").isEqualTo(1);
    }

    @Test
    void testSomeReportsAnIdThatAnotherCallerTookMeanwhile() {
        long a = receive();
        long b = receive();
        Completions mine = room();
        Call<Integer> call =
                start(() -> context.testSome(new long[] {a, b}, 2, mine, LONG_MS)).asleep();
        // Whoever is faster: one of them has the outcome, the other one learns that it is gone.
        method.complete(a);
        assertThat(context.test(a, done, 0)).isEqualTo(1);
        assertThat(call.result()).isEqualTo(1);
        assertThat(mine.id(0)).isEqualTo(a);
        assertThat(List.of(mine.outcome(0), done.outcome(0)))
                .containsExactlyInAnyOrder(ErrorCode.SUCCESS, ErrorCode.EINVAL);
        assertThat(context.cancel(b)).isEqualTo(CancelOutcome.CANCELLED);
    }

    @Test
    void testSomeWithTooLittleRoomLeavesTheRestToOthers() {
        long a = receive();
        long b = receive();
        Completions one = Completions.ofCapacity(1);
        Call<Integer> call =
                start(() -> context.testSome(new long[] {a, b, a}, 3, one, LONG_MS)).asleep();
        method.remote(
                () -> {
                    method.complete(a);
                    method.complete(b);
                });
        assertThat(call.result()).isEqualTo(1);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(one.id(0) == a ? b : a);
        assertThat(inUse()).isZero();
    }

    @Test
    void eachCompletionWakesOneOfManyPollers() {
        List<Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(
                    start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep());
        }
        for (int i = 0; i < 8; i++) {
            method.complete(receive());
        }
        for (Call<Integer> call : calls) {
            assertThat(call.result()).isEqualTo(1);
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void oneRoundOfProgressServesAllPollers() {
        List<Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(
                    start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep());
        }
        long[] ids = {receive(), receive(), receive(), receive()};
        method.remote(
                () -> {
                    for (long id : ids) {
                        method.complete(id);
                    }
                });
        for (Call<Integer> call : calls) {
            assertThat(call.result()).isEqualTo(1);
        }
    }

    @Test
    void interruptEndsTheWaitAndLeavesTheOperation() {
        long id = receive();
        List<Call<Boolean>> calls =
                List.of(
                        start(
                                () ->
                                        context.test(id, room(), LONG_MS) == 0
                                                && Thread.currentThread().isInterrupted()),
                        start(
                                () ->
                                        context.testSome(new long[] {id}, 1, room(), LONG_MS) == 0
                                                && Thread.currentThread().isInterrupted()),
                        start(
                                () ->
                                        context.testContext(room(), LONG_MS) == 0
                                                && Thread.currentThread().isInterrupted()),
                        start(
                                () ->
                                        bmi.testUnexpected(
                                                                UnexpectedMessages.ofCapacity(1),
                                                                LONG_MS)
                                                        == 0
                                                && Thread.currentThread().isInterrupted()));
        for (Call<Boolean> call : calls) {
            call.asleep().thread.interrupt();
            assertThat(call.result()).isTrue();
        }
        method.complete(id);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
    }

    @Test
    void interruptedCallerStillGetsWhatIsDone() {
        long id = receive();
        method.complete(id);
        Thread.currentThread().interrupt();
        assertThat(context.test(id, done, LONG_MS)).isEqualTo(1);
        long next = receive();
        assertThat(context.test(next, done, LONG_MS)).isZero();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void cancelInAnotherThreadEndsTheWait() {
        long id = receive();
        Completions mine = room();
        Call<Integer> call = start(() -> context.test(id, mine, LONG_MS)).asleep();
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(call.result()).isEqualTo(1);
        assertThat(mine.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
    }

    @Test
    void virtualThreadsWaitToo() {
        long id = receive();
        Call<Integer> one = startVirtual(() -> context.test(id, room(), LONG_MS)).asleep();
        Call<Integer> two = startVirtual(() -> context.testContext(room(), LONG_MS)).asleep();
        method.remote(() -> method.complete(id));
        assertThat(one.result()).isEqualTo(1);
        method.complete(receive());
        assertThat(two.result()).isEqualTo(1);
    }

    /** A method that fails must not leave a waiter in a queue that somebody else uses later. */
    @Test
    void failureOfAMethodLeavesNoWaiterBehind() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        long id = receive();
        List<Runnable> waits =
                List.of(
                        () -> context.test(id, room(), LONG_MS),
                        () -> context.testSome(new long[] {id}, 1, room(), LONG_MS),
                        () -> context.testContext(room(), LONG_MS),
                        () -> bmi.testUnexpected(messages, LONG_MS));
        for (Runnable wait : waits) {
            Call<Integer> call =
                    start(
                            () -> {
                                assertThatThrownBy(wait::run).hasMessage("script");
                                return 0;
                            });
            call.asleep();
            method.remote(
                    () -> {
                        throw new IllegalStateException("script");
                    });
            call.result();
        }
        method.complete(id);
        assertThat(context.testContext(done, 0)).as("nobody's claim is left").isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            long next = receive();
            Call<Integer> call = start(() -> context.testContext(room(), LONG_MS)).asleep();
            method.complete(next);
            assertThat(call.result()).isEqualTo(1);
        }
        Call<Integer> call = start(() -> bmi.testUnexpected(messages, LONG_MS)).asleep();
        method.deliver("sender", 1, 0, 5);
        assertThat(call.result()).isEqualTo(1);
        messages.free(0);
    }

    /** What a caller that guesses ids can do: nothing to others, and it does not hang. */
    @Test
    void guessedIdsOfPostsThatEndAtOnceHarmNobody() {
        long first = receive();
        method.complete(first);
        context.test(first, done, 0);
        List<Call<ErrorCode>> guessers = new ArrayList<>();
        script.rule =
                (m, operation) -> {
                    long guessed = operation.id();
                    guessers.add(start(() -> outcome(guessed)).asleep());
                    return 3;
                };
        assertThat(receive()).isEqualTo(3);
        assertThat(guessers.getFirst().result()).isEqualTo(ErrorCode.EINVAL);
        script.rule = org.jbmi.scripted.ScriptedMethod::hold;
        for (int i = 0; i < 200; i++) {
            method.complete(receive());
            assertThat(context.testContext(done, 0)).isEqualTo(1);
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void contextsDoNotWakeEachOther() {
        try (CompletionContext other = bmi.openContext()) {
            Call<Integer> mine = start(() -> context.testContext(room(), LONG_MS)).asleep();
            long id = other.postReceive(peer, buffer, 1);
            method.remote(() -> method.complete(id));
            assertThat(other.testContext(done, LONG_MS)).isEqualTo(1);
            assertThat(mine.isDone()).isFalse();
            method.complete(receive());
            assertThat(mine.result()).isEqualTo(1);
        }
    }

    /** What a test call without idle time does, every call of an interrupted thread does. */
    @Test
    void anInterruptedCallerMakesOneRoundAndKeepsItsFlag() {
        long id = receive();
        method.remote(() -> method.complete(id));
        int before = method.pollCalls.get();
        Thread.currentThread().interrupt();
        try {
            assertThat(context.test(id, done, LONG_MS)).isEqualTo(1);
            long pending = receive();
            assertThat(context.test(pending, done, LONG_MS)).isZero();
            assertThat(context.testSome(new long[] {pending}, 1, done, LONG_MS)).isZero();
            assertThat(context.testContext(done, LONG_MS)).isZero();
            assertThat(bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)).isZero();
            assertThat(method.pollCalls.get() - before).isEqualTo(5);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void anErrorOfOneOperationIsNoErrorOfTheCall() {
        long[] ids = {receive(), receive(), receive(), receive(), receive()};
        for (long id : ids) {
            method.complete(id, id == ids[2] ? ErrorCode.EPIPE.negativeValue() : 0, 7);
        }
        assertThat(context.testContext(done, LONG_MS)).isEqualTo(5);
        for (int k = 0; k < 5; k++) {
            assertThat(done.outcome(k)).isEqualTo(k == 2 ? ErrorCode.EPIPE : ErrorCode.SUCCESS);
        }
    }
}
