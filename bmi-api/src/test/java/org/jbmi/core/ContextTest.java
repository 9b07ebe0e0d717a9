package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jbmi.scripted.Script;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Contexts, the bound on operations, and closing a context with work in it. */
class ContextTest extends ScriptedTest {
    @Override
    BmiBuilder builder() {
        return super.builder().knob("bmi.maxOperations", "100").knob("bmi.closeWaitMs", "200");
    }

    @Test
    void sixteenContextsAreOpenAndOneMoreIsTooMany() {
        List<CompletionContext> contexts = new ArrayList<>();
        for (int i = 1; i < 16; i++) {
            contexts.add(bmi.openContext());
        }
        assertCode(ErrorCode.EBUSY, bmi::openContext);
        contexts.getFirst().close();
        CompletionContext again = bmi.openContext();
        assertCode(ErrorCode.EBUSY, bmi::openContext);

        // Each of them gets its own operations and no other's.
        contexts.set(0, again);
        contexts.add(context);
        List<Long> ids = new ArrayList<>();
        for (CompletionContext c : contexts) {
            ids.add(c.postReceive(peer, buffer, 1, c));
        }
        ids.forEach(method::complete);
        for (int i = 0; i < 16; i++) {
            assertThat(contexts.get(i).testContext(done, 0)).isEqualTo(1);
            assertThat(done.id(0)).isEqualTo(ids.get(i));
            assertThat(done.userData(0)).isSameAs(contexts.get(i));
        }
    }

    @Test
    void fullTableRefusesAndRecovers() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ids.add(receive());
        }
        assertThat(ids).allMatch(PostResult::isPending).doesNotHaveDuplicates();
        assertThat(inUse()).isEqualTo(100);
        assertThat(PostResult.refusal(receive())).isEqualTo(ErrorCode.ENOBUFS);
        method.complete(ids.get(50));
        assertThat(PostResult.refusal(receive()))
                .as("not reported yet")
                .isEqualTo(ErrorCode.ENOBUFS);
        assertThat(context.testContext(done, 0)).isEqualTo(1);
        long id = receive();
        assertThat(PostResult.isPending(id)).isTrue();
        assertThat(ids).doesNotContain(id);
        ids.set(50, id);
        ids.forEach(method::complete);
        int reported = 0;
        while (context.testContext(done, 0) > 0) {
            reported += done.count();
        }
        assertThat(reported).isEqualTo(100);
        assertThat(inUse()).isZero();
    }

    @Test
    void refusedListsCostNoOperation() {
        for (int i = 0; i < 300; i++) {
            assertCode(
                    ErrorCode.EINVAL,
                    () ->
                            context.postSendList(
                                    peer,
                                    new java.lang.foreign.MemorySegment[] {buffer},
                                    1,
                                    1,
                                    null,
                                    org.jbmi.PostOptions.NONE));
        }
        assertThat(PostResult.isPending(receive())).isTrue();
        assertThat(inUse()).isEqualTo(1);
    }

    @Test
    void closingCancelsAndForgets() {
        long one = receive();
        long two = receive();
        method.complete(two);
        context.close();
        assertThat(method.heldIds()).isEmpty();
        assertThat(inUse()).isZero();
        assertCode(ErrorCode.EINVAL, () -> context.test(one, done, 0));
        assertCode(ErrorCode.EINVAL, () -> context.testContext(done, 0));
        assertCode(ErrorCode.EINVAL, () -> context.testSome(new long[0], 0, done, 0));
        assertCode(ErrorCode.EINVAL, () -> context.cancel(one));
        assertCode(ErrorCode.EINVAL, () -> context.await(one, 0));
        assertCode(ErrorCode.EINVAL, this::receive);
        context.close();
    }

    @Test
    void closingLeavesOtherContextsAlone() {
        try (CompletionContext other = bmi.openContext()) {
            long id = other.postReceive(peer, buffer, 1);
            context.close();
            assertThat(method.complete(id)).isTrue();
            assertThat(other.testContext(done, 0)).isEqualTo(1);
        }
    }

    @Test
    void closingWakesEveryCaller() {
        long a = receive();
        long b = receive();
        Call<Integer> one =
                start(() -> context.test(a, Completions.ofCapacity(1), LONG_MS)).asleep();
        Call<Integer> two =
                start(() -> context.testSome(new long[] {b}, 1, Completions.ofCapacity(1), LONG_MS))
                        .asleep();
        Call<Integer> three =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        context.close();
        assertThat(one.result()).as("told that it was cancelled").isEqualTo(1);
        assertThat(two.result()).isEqualTo(1);
        assertThat(three.result()).isZero();
        assertThat(inUse()).isZero();
    }

    @Test
    void aContextWhoseCancelFailsIsClosedAllTheSame() {
        long id = receive();
        long next = receive();
        long moving = receive();
        method.move(moving);
        Call<Integer> waiting =
                start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        failCancelOf(id);
        long waitedMs = elapsedMs(() -> assertThatThrownBy(context::close).hasMessage("planted"));
        assertThat(waitedMs).as("for the transfer").isGreaterThanOrEqualTo(190L);
        assertThat(waiting.result()).as("nothing to report, and nobody waits").isZero();
        assertThat(method.heldIds()).as("cancelled").doesNotContain(next);
        assertThat(method.complete(id)).isTrue();
        assertThat(method.complete(moving)).isTrue();
        assertThat(inUse()).isZero();
        for (int i = 0; i < 16; i++) {
            assertThat(bmi.openContext()).as("a place for context " + i).isNotNull();
        }
    }

    @Test
    void closingWaitsForATransferThatCannotBeCancelled() {
        long moving = receive();
        method.move(moving);
        failCancelOf(moving);
        long waitedMs = elapsedMs(() -> assertThatThrownBy(context::close).hasMessage("planted"));
        assertThat(waitedMs).as("for the transfer").isGreaterThanOrEqualTo(190L);
        assertThat(method.complete(moving)).isTrue();
        assertThat(inUse()).isZero();
    }

    @Test
    void closingWaitsForATransferThoughAPollFails() {
        long moving = receive();
        method.move(moving);
        method.failNext = new IllegalStateException("planted");
        long waitedMs = elapsedMs(() -> assertThatThrownBy(context::close).hasMessage("planted"));
        assertThat(waitedMs).as("for the transfer").isGreaterThanOrEqualTo(190L);
        assertThat(method.complete(moving)).isTrue();
        assertThat(inUse()).isZero();
    }

    @Test
    void aPollThatFailsAfterACancelIsNotHidden() {
        method.move(receive());
        long id = receive();
        failCancelOf(id);
        method.failNext = new IllegalStateException("poll");
        assertThatThrownBy(context::close)
                .hasMessage("planted")
                .satisfies(
                        e ->
                                assertThat(e.getSuppressed())
                                        .singleElement()
                                        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                                        .hasMessage("poll"));
    }

    @Test
    void closingWaitsForATransferAndThenGivesItUp() {
        long moving = receive();
        method.move(moving);
        Completions mine = Completions.ofCapacity(1);
        Call<Integer> claimed = start(() -> context.test(moving, mine, LONG_MS)).asleep();
        long waitedMs = elapsedMs(context::close);
        assertThat(waitedMs).isBetween(190L, 5_000L);
        assertThat(claimed.result()).as("nothing to report, and nobody waits").isZero();
        assertThat(inUse()).isEqualTo(1);
        method.complete(moving);
        assertThat(inUse()).isZero();
    }

    /** At most one look in each 0.1 ms of the 200 ms, however slow the machine is. */
    @Test
    void anInterruptedThreadThatClosesSleepsBetweenItsLooks() {
        long moving = context.postReceive(peer, buffer, 1);
        method.move(moving);
        int before = method.progressCalls.get();
        Thread.currentThread().interrupt();
        context.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(method.progressCalls.get() - before).isLessThan(2_100);
        method.complete(moving);
    }

    @Test
    void closingEndsAsSoonAsTheTransferDoes() {
        Script own = new Script();
        try (Bmi patient =
                builder().knob("bmi.closeWaitMs", "600000").attach(Script.class, own).open()) {
            CompletionContext its = patient.openContext();
            long moving = its.postReceive(patient.lookup("test://peer"), buffer, 1);
            own.test().move(moving);
            Call<Boolean> closing =
                    start(
                            () -> {
                                its.close();
                                return true;
                            });
            try {
                closing.asleep();
            } finally {
                own.test().complete(moving); // else the instance waits for it
            }
            assertThat(closing.result()).as("long before its limit").isTrue();
            assertThat(patient.counters().find("bmi.operations").get()).isZero();
        }
    }

    /** Posts that run beside a close end like the others: nothing stays with the method. */
    @Test
    void postsBesideACloseLeaveNothing() {
        for (int round = 0; round < 200; round++) {
            CompletionContext closing = bmi.openContext();
            Call<Integer> poster =
                    start(
                            () -> {
                                int posted = 0;
                                try {
                                    while (posted < 50) {
                                        closing.postReceive(peer, buffer, 1);
                                        posted++;
                                    }
                                } catch (org.jbmi.BmiException e) {
                                    assertThat(e.code()).isEqualTo(ErrorCode.EINVAL);
                                }
                                return posted;
                            });
            closing.close();
            poster.result();
            assertThat(method.heldIds()).isEmpty();
            assertThat(inUse()).isZero();
        }
    }
}
