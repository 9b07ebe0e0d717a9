package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.scripted.Script;
import org.jbmi.scripted.ScriptedMethod;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Closing an instance: what ends, who is woken, and what every call says afterwards. */
class CloseTest extends ScriptedTest {
    @Override
    BmiBuilder builder() {
        return super.builder().knob("bmi.closeWaitMs", "500");
    }

    @Test
    void closingWakesEveryCallerSoon() {
        long a = receive();
        long b = receive();
        Completions first = Completions.ofCapacity(1);
        Completions some = Completions.ofCapacity(1);
        CompletionContext quiet = bmi.openContext();
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(4));
        List<Call<Integer>> calls =
                List.of(
                        start(() -> context.test(a, first, LONG_MS)),
                        start(() -> context.testSome(new long[] {b}, 1, some, LONG_MS)),
                        start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)),
                        start(() -> quiet.testContext(Completions.ofCapacity(1), LONG_MS)),
                        start(() -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)),
                        start(() -> listener.test(UnexpectedMessages.ofCapacity(1), LONG_MS)));
        calls.forEach(Call::asleep);
        long before = System.nanoTime();
        bmi.close();
        List<Integer> results = calls.stream().map(Call::result).toList();
        assertThat((System.nanoTime() - before) / 1_000_000).isLessThan(5_000);
        assertThat(results).containsExactly(1, 1, 0, 0, 0, 0);
        assertThat(first.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        assertThat(some.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        assertThat(method.closed).isTrue();
    }

    @Test
    void callersOfOperationsThatAMethodGaveUpAreWokenToo() {
        method.closeAbandons = true;
        long id = receive();
        Call<Integer> call =
                start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        Call<Integer> some =
                start(
                                () ->
                                        context.testSome(
                                                new long[] {id},
                                                1,
                                                Completions.ofCapacity(1),
                                                LONG_MS))
                        .asleep();
        bmi.close();
        assertThat(call.result()).isZero();
        assertThat(some.result()).isZero();
    }

    @Test
    void pendingOperationsEndAsCancelledForWhoeverWaits() {
        List<Long> ids = new ArrayList<>();
        Completions mine = Completions.ofCapacity(8);
        Call<Integer> poller = start(() -> context.testContext(mine, LONG_MS)).asleep();
        for (int i = 0; i < 3; i++) {
            ids.add(receive());
        }
        bmi.close();
        assertThat(poller.result()).isBetween(1, 3);
        for (int k = 0; k < mine.count(); k++) {
            assertThat(mine.outcome(k)).isEqualTo(ErrorCode.ECANCEL);
            assertThat(ids).contains(mine.id(k));
        }
    }

    @Test
    void everyLaterCallIsRefused() {
        long id = receive();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        method.deliver("sender", 1, 0, 1);
        bmi.testUnexpected(messages, 0);
        bmi.close();
        assertThat(bmi.isClosed()).isTrue();
        List<Runnable> calls =
                List.of(
                        () -> context.test(id, done, 0),
                        () -> context.testSome(new long[] {id}, 1, done, 0),
                        () -> context.testContext(done, 0),
                        () -> context.await(id, 0),
                        () -> context.cancel(id),
                        this::receive,
                        bmi::openContext,
                        bmi::retain,
                        () -> bmi.lookup("test://peer"),
                        () -> bmi.lookup("local://peer"),
                        () -> peer.isInRange("x", -1),
                        () -> bmi.testUnexpected(messages, 0),
                        () -> bmi.unexpectedFree(buffer),
                        () -> bmi.openListener(UnexpectedFilter.ALL),
                        () -> peer.allocate(10),
                        () -> bmi.free(buffer),
                        bmi::isActive,
                        () -> bmi.getOption(peer, Options.MAX_EXPECTED_BYTES),
                        () -> bmi.setOption(Options.CHECK_UNEXPECTED, true),
                        () -> bmi.setOption(peer, Options.CHECK_UNEXPECTED, true));
        for (Runnable call : calls) {
            assertCode(ErrorCode.EINVAL, call);
        }
        // What needs no method works.
        assertThat(bmi.reverseLookup(peer)).contains("test://peer");
        assertThat(bmi.configuration().settings()).isNotEmpty();
        assertThat(bmi.counters().all()).isNotEmpty();
        context.close();
    }

    @Test
    void messageHeldByTheProgramMayBeFreedAfterwards() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        method.deliver("sender", 1, 0, 1);
        bmi.testUnexpected(messages, 0);
        bmi.close();
        messages.free(0);
        assertThat(method.freedTokens).as("the method is closed").isEmpty();
        assertCode(ErrorCode.EINVAL, () -> messages.free(0));
    }

    @Test
    void ownersAreCounted() {
        assertThat(bmi.retain()).isSameAs(bmi);
        bmi.retain();
        bmi.close();
        bmi.close();
        assertThat(bmi.isClosed()).isFalse();
        assertThat(context.testContext(done, 0)).isZero();
        bmi.close();
        assertThat(bmi.isClosed()).isTrue();
        bmi.close();
        bmi.close();
        assertCode(ErrorCode.EINVAL, bmi::retain);
        assertThat(bmi.isClosed()).isTrue();
    }

    @Test
    void manyClosesCloseOnce() {
        for (int round = 0; round < 50; round++) {
            Script own = new Script();
            Bmi shared = Bmi.builder().attach(Script.class, own).method("test").open();
            List<Call<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                calls.add(
                        start(
                                () -> {
                                    try {
                                        shared.retain();
                                        shared.close();
                                    } catch (BmiException e) {
                                        assertThat(e.code()).isEqualTo(ErrorCode.EINVAL);
                                    }
                                    return true;
                                }));
            }
            shared.close();
            calls.forEach(Call::result);
            assertThat(shared.isClosed()).isTrue();
        }
    }

    @Test
    void failureOfAMethodDoesNotKeepTheOthersOpen() {
        bmi.lookup("local://x");
        long id = receive();
        Call<Integer> call =
                start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        bmi.lookup("word://x");
        script.method("word").failClose = true;
        assertThatThrownBy(bmi::close).hasMessage("close of word");
        assertThat(bmi.isClosed()).isTrue();
        assertThat(script.method("local").closed).isTrue();
        assertThat(method.closed).isTrue();
        assertThat(call.result()).isEqualTo(1);
    }

    /** The lead sleeps in the method, and hears of the post and of the close when a slice ends. */
    @Test
    void aMethodThatCannotEndASleepLosesNoOperationAndIsClosed() {
        bmi.lookup("word://x");
        ScriptedMethod word = script.method("word");
        word.failWake = true;
        Call<Integer> lead =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        PostOptions expires = PostOptions.NONE.withDeadlineMs(LONG_MS);
        long id = context.postReceive(peer, buffer, 1, null, expires);
        assertThat(PostResult.isPending(id)).isTrue();
        bmi.close();
        assertThat(bmi.isClosed()).isTrue();
        assertThat(word.closed).isTrue();
        assertThat(method.closed).isTrue();
        assertThat(lead.result()).isEqualTo(1);
    }

    @Test
    void callersWithoutOperationsDoNotWaitForAMethodThatClosesSlowly() {
        CountDownLatch mayClose = new CountDownLatch(1);
        method.onClose =
                () -> {
                    try {
                        mayClose.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                };
        CompletionContext quiet = bmi.openContext();
        long id = receive();
        Call<Integer> busy =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        Call<Integer> idle =
                start(() -> quiet.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        Call<Integer> unexpected =
                start(() -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
        Call<Boolean> closing =
                start(
                        () -> {
                            bmi.close();
                            return true;
                        });
        assertThat(idle.result()).isZero();
        assertThat(unexpected.result()).isZero();
        assertThat(closing.isDone()).isFalse();
        assertThat(busy.isDone()).as("its operation " + id + " is not over").isFalse();
        mayClose.countDown();
        assertThat(busy.result()).isEqualTo(1);
        assertThat(closing.result()).isTrue();
    }

    @Test
    void closingDoesNotWaitForAMethodThatOpens() throws InterruptedException {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch mayOpen = new CountDownLatch(1);
        script.onOpen =
                m -> {
                    opening.countDown();
                    try {
                        mayOpen.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                };
        Call<Boolean> lookup =
                start(
                        () -> {
                            assertCode(ErrorCode.EINVAL, () -> bmi.lookup("word://x"));
                            return true;
                        });
        opening.await();
        assertThat(bmi.lookup("test://elsewhere")).as("other methods go on").isNotNull();
        bmi.close();
        assertThat(bmi.isClosed()).isTrue();
        mayOpen.countDown();
        assertThat(lookup.result()).isTrue();
        assertThat(script.method("word").closed).isTrue();
    }

    @Test
    void callsBesideACloseEndOneWayOrTheOther() {
        for (int round = 0; round < 100; round++) {
            Script own = new Script();
            Bmi closing = Bmi.builder().attach(Script.class, own).open();
            CompletionContext its = closing.openContext();
            var target = closing.lookup("test://x");
            List<Call<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean some = i == 1;
                calls.add(
                        start(
                                () -> {
                                    Completions mine = Completions.ofCapacity(1);
                                    try {
                                        while (true) {
                                            long id = its.postReceive(target, buffer, 1);
                                            if (some) {
                                                its.testSome(new long[] {id}, 1, mine, LONG_MS);
                                            } else if (id > 0) {
                                                its.test(id, mine, LONG_MS);
                                            }
                                        }
                                    } catch (BmiException e) {
                                        return e.code() == ErrorCode.EINVAL;
                                    }
                                }));
            }
            eventually(() -> own.isOpen("test") && own.test().heldIds().size() == 3);
            closing.close();
            calls.forEach(c -> assertThat(c.result()).isTrue());
        }
    }

    /** Three methods whose peers hang, and a lead that hangs too: one deadline for all of it. */
    @Test
    void closingHasOneDeadlineForAllMethods() {
        bmi.lookup("local://peer");
        bmi.lookup("word://peer");
        List<ScriptedMethod> methods =
                List.of(method, script.method("local"), script.method("word"));
        methods.forEach(each -> each.closeHangs = true);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch leads = new CountDownLatch(1);
        method.remote(
                () -> {
                    leads.countDown();
                    awaitQuietly(mayEnd);
                });
        Call<Integer> lead = start(() -> context.testContext(Completions.ofCapacity(1), 0));
        awaitQuietly(leads);
        long closeMs = elapsedMs(bmi::close);
        mayEnd.countDown();
        lead.result();
        // The knob says 500 ms; alone, each of them takes ten seconds.
        assertThat(closeMs).isBetween(400L, 9_000L);
        for (ScriptedMethod each : methods) {
            assertThat(each.closed).isTrue();
            assertThat(each.closeShareNs).as("its share").isLessThanOrEqualTo(500_000_000L);
        }
    }

    @Test
    void aContextThatClosesBesideTheInstanceCancelsItsOperations() {
        Stuck stuck = new Stuck();
        receive();
        Call<Boolean> closing = stuck.close(bmi, method);
        context.close();
        assertThat(method.heldIds()).as("buffers that the method has").isEmpty();
        stuck.mayClose.countDown();
        assertThat(closing.result()).isTrue();
    }

    @Test
    void aContextThatClosesBesideTheInstanceWaitsForTransfers() {
        Stuck stuck = new Stuck();
        Script own = new Script();
        Bmi patient =
                Bmi.builder().attach(Script.class, own).knob("bmi.closeWaitMs", "20000").open();
        CompletionContext its = patient.openContext();
        long id = its.postReceive(patient.lookup("test://x"), buffer, 1);
        own.test().move(id);
        Call<Boolean> closing = stuck.close(patient, own.test());
        Call<List<Long>> left =
                start(
                        () -> {
                            its.close();
                            return own.test().heldIds();
                        });
        eventually(() -> left.isDone() || left.isAsleep());
        assertThat(left.isDone()).as("its transfer is not over").isFalse();
        stuck.mayClose.countDown();
        assertThat(left.result()).as("buffers that the method has").isEmpty();
        assertThat(closing.result()).isTrue();
    }

    /** Keeps a method in its close. */
    private final class Stuck {
        final CountDownLatch mayClose = new CountDownLatch(1);

        /** Closes an instance in another thread; returns when its method is being closed. */
        Call<Boolean> close(Bmi instance, ScriptedMethod its) {
            CountDownLatch begun = new CountDownLatch(1);
            its.onClose =
                    () -> {
                        begun.countDown();
                        awaitQuietly(mayClose);
                    };
            Call<Boolean> closing =
                    start(
                            () -> {
                                instance.close();
                                return true;
                            });
            awaitQuietly(begun);
            return closing;
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
