package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** What the test calls report, without waiting. */
class TestCallsTest extends ScriptedTest {
    private static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();

    @Test
    void postThatEndsAtOnceLeavesNothing() {
        script.rule = (m, operation) -> 17;
        long result = context.postReceive(peer, buffer, 1, "data");

        assertThat(result).isEqualTo(17);
        assertThat(PostResult.isCompleted(result)).isTrue();
        assertThat(context.testContext(done, 0)).isZero();
        assertThat(inUse()).isZero();
        assertThat(context.await(result, 0)).isEqualTo(17);
    }

    @Test
    void refusedPostLeavesNothing() {
        script.rule = (m, operation) -> ENOMEM;
        long result = receive();

        assertThat(PostResult.refusal(result)).isEqualTo(ErrorCode.ENOMEM);
        assertThat(context.testContext(done, 0)).isZero();
        assertThat(inUse()).isZero();
        assertThatThrownBy(() -> context.await(result, 0))
                .hasMessage("The post was refused: ENOMEM.");
    }

    @Test
    void postThatFailsInItsMethodLeavesNothing() {
        script.rule =
                (m, operation) -> {
                    throw new IllegalStateException("script");
                };
        assertThat(org.assertj.core.api.Assertions.catchThrowable(this::receive))
                .isInstanceOf(IllegalStateException.class);
        assertThat(inUse()).isZero();
    }

    @Test
    void completionWithinThePostIsReportedOnce() {
        script.rule =
                (m, operation) -> {
                    m.host().complete(operation, 0, 5);
                    return org.jbmi.spi.Method.PENDING;
                };
        long id = receive();
        assertThat(PostResult.isPending(id)).isTrue();
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.sizeBytes(0)).isEqualTo(5);
        assertUnknown(context, id, 0);
    }

    @Test
    void testReportsOnceWithAllItKnows() {
        Object data = new Object();
        long id = context.postReceive(peer, buffer, 1, data);
        assertThat(context.test(id, done, 0)).isZero();
        assertThat(done.count()).isZero();

        assertThat(method.complete(id, 0, 99)).isTrue();

        assertThat(context.test(id, done, LONG_MS)).isEqualTo(1);
        assertThat(done.count()).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(id);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(done.sizeBytes(0)).isEqualTo(99);
        assertThat(done.userData(0)).isSameAs(data);
        assertThat(done.index(0)).isZero();
        assertUnknown(context, id, 0);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.UNKNOWN);
        assertThat(inUse()).isZero();
    }

    @Test
    void failureCarriesItsCodeAndNoSize() {
        long id = receive();
        method.complete(id, EIO, 77);
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EIO);
        assertThat(done.sizeBytes(0)).isZero();
        assertThat(done.userData(0)).isNull();
    }

    @Test
    void collectReportsWhatIsDoneAndMakesNoProgress() {
        long one = receive();
        long two = receive();
        int polls = method.pollCalls.get();
        assertThat(context.collect(done)).isZero();
        method.complete(two);
        assertThat(context.collect(done)).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(two);
        assertThat(context.collect(done)).isZero();
        assertThat(done.count()).isZero();
        assertThat(method.pollCalls.get()).isEqualTo(polls);

        method.complete(one);
        assertThat(context.collect(Completions.ofCapacity(0))).isZero();
        assertThat(context.collect(done)).isEqualTo(1);
        context.close();
        assertCode(ErrorCode.EINVAL, () -> context.collect(done));
    }

    @Test
    void testLeavesOthersAlone() {
        long one = receive();
        long two = receive();
        method.complete(two);
        assertThat(context.test(one, done, 0)).isZero();
        assertThat(context.test(two, done, 0)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 17, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 62, (1L << 62) + 5})
    void unknownNumbersAreNoOperations(long id) {
        assertUnknown(context, id, 0);
        assertUnknown(context, id, 1000);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.UNKNOWN);
    }

    /** Over for every call, with or without idle time; only 0 stands for nothing in a list. */
    private void assertUnknown(CompletionContext asked, long id, long idleMs) {
        assertThat(asked.test(id, done, idleMs)).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(id);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EINVAL);
        assertThat(done.sizeBytes(0)).isZero();
        assertThat(done.userData(0)).isNull();
        int expected = id == 0 ? 0 : 1;
        assertThat(asked.testSome(new long[] {0, id}, 2, done, idleMs)).isEqualTo(expected);
        for (int k = 0; k < expected; k++) {
            assertThat(done.id(k)).isEqualTo(id);
            assertThat(done.index(k)).isEqualTo(1);
            assertThat(done.outcome(k)).isEqualTo(ErrorCode.EINVAL);
        }
    }

    @Test
    void aReportedIdIsNotReportedAgainWithinOneCall() {
        long id = receive();
        method.complete(id, 0, 3);
        assertThat(context.testSome(new long[] {id, id}, 2, done, LONG_MS)).isEqualTo(2);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(done.outcome(1)).isEqualTo(ErrorCode.EINVAL);
        assertThat(done.index(1)).isEqualTo(1);
    }

    @Test
    void anotherContextDoesNotKnowTheOperation() {
        long id = receive();
        try (CompletionContext other = bmi.openContext()) {
            assertUnknown(other, id, 0);
            assertThat(other.cancel(id)).isEqualTo(CancelOutcome.UNKNOWN);
            method.complete(id);
            assertUnknown(other, id, 0);
            assertThat(other.testContext(done, 0)).isZero();
            assertCode(ErrorCode.EINVAL, () -> other.await(id, 0));
        }
        assertThat(context.testContext(done, 0)).isEqualTo(1);
    }

    @Test
    void testContextReportsInTheOrderOfCompletion() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(context.postReceive(peer, buffer, i, i));
        }
        int[] order = {3, 0, 9, 1, 8, 2, 7, 4, 6, 5};
        for (int i : order) {
            method.complete(ids.get(i));
        }
        Completions four = Completions.ofCapacity(4);
        List<Object> reported = new ArrayList<>();
        for (int expected : new int[] {4, 4, 2, 0}) {
            assertThat(context.testContext(four, 0)).isEqualTo(expected);
            for (int k = 0; k < expected; k++) {
                reported.add(four.userData(k));
                assertThat(four.id(k)).isEqualTo(ids.get((Integer) four.userData(k)));
            }
        }
        assertThat(reported).containsExactly(3, 0, 9, 1, 8, 2, 7, 4, 6, 5);
    }

    @Test
    void takingFromTheMiddleKeepsTheOrderOfTheRest() {
        long[] ids = new long[5];
        for (int i = 0; i < 5; i++) {
            ids[i] = receive();
            method.complete(ids[i]);
        }
        assertThat(context.test(ids[2], done, 0)).isEqualTo(1);
        assertThat(context.test(ids[0], done, 0)).isEqualTo(1);
        assertThat(context.test(ids[4], done, 0)).isEqualTo(1);
        assertThat(context.testContext(done, 0)).isEqualTo(2);
        assertThat(done.id(0)).isEqualTo(ids[1]);
        assertThat(done.id(1)).isEqualTo(ids[3]);
    }

    @Test
    void noRoomLosesNothing() {
        long id = receive();
        method.complete(id);
        Completions none = Completions.ofCapacity(0);
        assertThat(context.testContext(none, LONG_MS)).isZero();
        assertThat(context.testSome(new long[] {id}, 1, none, LONG_MS)).isZero();
        assertCode(ErrorCode.EINVAL, () -> context.test(id, none, 0));
        assertThat(context.test(id, done, 0)).isEqualTo(1);
    }

    @Test
    void testSomePacksItsResults() {
        long a = context.postReceive(peer, buffer, 1, "a");
        long b = context.postReceive(peer, buffer, 1, "b");
        long c = context.postReceive(peer, buffer, 1, "c");
        method.complete(b, EIO, 0);
        method.complete(c, 0, 3);
        long[] ids = {0, a, 0, b, 0, c};
        assertThat(context.testSome(ids, 6, done, 0)).isEqualTo(2);
        assertThat(done.id(0)).isEqualTo(b);
        assertThat(done.index(0)).isEqualTo(3);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EIO);
        assertThat(done.userData(0)).isEqualTo("b");
        assertThat(done.id(1)).isEqualTo(c);
        assertThat(done.index(1)).isEqualTo(5);
        assertThat(done.sizeBytes(1)).isEqualTo(3);
        ids[3] = 0;
        ids[5] = 0;
        assertThat(context.testSome(ids, 6, done, 0)).isZero();
        method.complete(a);
        assertThat(context.testSome(ids, 1, done, 0)).as("only the first entry").isZero();
        assertThat(context.testSome(ids, 2, done, 0)).isEqualTo(1);
        assertThat(done.index(0)).isEqualTo(1);
    }

    @Test
    void testSomeStopsWhereThereIsNoRoomAndTakesTheSameIdOnce() {
        long a = receive();
        long b = receive();
        method.complete(a);
        method.complete(b);
        Completions one = Completions.ofCapacity(1);
        assertThat(context.testSome(new long[] {a, a, b}, 3, one, 0)).isEqualTo(1);
        assertThat(one.id(0)).isEqualTo(a);
        assertThat(context.testSome(new long[] {b, b}, 2, done, 0)).isEqualTo(2);
        assertThat(done.id(0)).isEqualTo(b);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(done.outcome(1)).isEqualTo(ErrorCode.EINVAL);
    }

    @Test
    void testSomeOfNothingDoesNotWait() {
        assertThat(context.testSome(new long[0], 0, done, LONG_MS)).isZero();
        assertThat(context.testSome(new long[] {0, 0, 0}, 3, done, LONG_MS)).isZero();
    }

    @Test
    void wrongArgumentsAreRefused() {
        long id = receive();
        long[] ids = {id};
        assertCode(ErrorCode.EINVAL, () -> context.test(id, done, -1));
        assertCode(ErrorCode.EINVAL, () -> context.testSome(ids, 1, done, -1));
        assertCode(ErrorCode.EINVAL, () -> context.testSome(ids, -1, done, 0));
        assertCode(ErrorCode.EINVAL, () -> context.testSome(ids, 2, done, 0));
        assertCode(ErrorCode.EINVAL, () -> context.testContext(done, -1));
        assertCode(ErrorCode.EINVAL, () -> context.await(id, -1));
        assertCode(
                ErrorCode.EINVAL,
                () -> context.postSendUnexpected(peer, buffer, 1, 256, null, PostOptions.NONE));
        assertCode(
                ErrorCode.EINVAL,
                () -> context.postSendUnexpected(peer, buffer, 1, -1, null, PostOptions.NONE));
    }

    @Test
    void awaitTellsWhatCameOut() {
        long good = receive();
        method.complete(good, 0, 12);
        assertThat(context.await(good, 0)).isEqualTo(12);
        assertCode(ErrorCode.EINVAL, () -> context.await(good, 0));

        long bad = receive();
        method.complete(bad, EIO, 12);
        assertThatThrownBy(() -> context.await(bad, 0))
                .hasMessage("The operation failed: EIO (receive, peer test://peer, tag 1).");

        long odd = receive();
        method.complete(odd, -5, 12); // no code of ours, and no success either
        assertCode(ErrorCode.EIO, () -> context.await(odd, 0));

        long slow = receive();
        assertCode(ErrorCode.EAGAIN, () -> context.await(slow, 20));
        method.complete(slow, 0, 3);
        assertThat(context.await(slow, 0)).isEqualTo(3);
    }

    @Test
    void zeroIdleTimeAsksTheMethodOnce() {
        long id = receive();
        int before = method.pollCalls.get();
        context.test(id, done, 0);
        context.testContext(done, 0);
        context.testSome(new long[] {id}, 1, done, 0);
        assertThat(method.pollCalls.get()).isEqualTo(before + 3);
        assertThat(method.waitsBegun.get()).isZero();
    }

    @Test
    void whatTheMethodFindsInThatCallIsReportedByIt() {
        long id = receive();
        method.remote(() -> method.complete(id));
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        long next = receive();
        method.remote(() -> method.complete(next));
        assertThat(context.testContext(done, 0)).isEqualTo(1);
        long last = receive();
        method.remote(() -> method.complete(last));
        assertThat(context.testSome(new long[] {last}, 1, done, 0)).isEqualTo(1);
    }
}
