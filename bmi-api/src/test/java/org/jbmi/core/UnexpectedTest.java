package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Unexpected messages: delivery, classes, memory, and the early return of testContext. */
class UnexpectedTest extends ScriptedTest {
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(8);

    @Test
    void messageArrivesWithAllItsParts() {
        long token = method.deliver("sender", -7, 0, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
        assertThat(messages.count()).isEqualTo(1);
        assertThat(messages.tag(0)).isEqualTo(-7);
        assertThat(messages.messageClass(0)).isZero();
        assertThat(messages.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(messages.sizeBytes(0)).isEqualTo(5);
        byte[] bytes = messages.payload(0).toArray(ValueLayout.JAVA_BYTE);
        assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(messages.memory(0).get(ValueLayout.JAVA_BYTE, messages.offset(0)))
                .isEqualTo((byte) 'h');
        assertThat(messages.peer(0).scheme()).isEqualTo("test");
        assertThat(messages.peer(0).displayName()).isEqualTo("sender");
        assertThat(method.freedTokens).isEmpty();
        assertThat(gauge("bmi.unexpectedHeld")).isEqualTo(1);

        messages.free(0);
        assertThat(method.freedTokens).containsExactly(token);
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
    }

    @Test
    void freeAllFreesWhatTheProgramStillHolds() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tokens.add(method.deliver("sender " + i % 2, i, 0, 10));
        }
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(6);
        MemorySegment fourth = messages.payload(4);
        messages.free(1);
        bmi.unexpectedFree(fourth);
        assertThat(method.freedTokens).containsExactly(tokens.get(1), tokens.get(4));

        messages.freeAll();
        assertThat(method.freedTokens).containsExactlyInAnyOrderElementsOf(tokens);
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
        assertThatThrownBy(() -> messages.free(0)).hasMessageContaining("freed before");
        messages.freeAll();
        assertThat(method.freedTokens).hasSize(6);
    }

    @Test
    void classesAreApartAndEachKeepsItsOrder() {
        for (int i = 0; i < 6; i++) {
            method.deliver("sender", i, i % 2 == 0 ? 0 : 255, 1);
        }
        assertThat(bmi.testUnexpected(3, messages, 0)).isZero();
        assertThat(bmi.testUnexpected(255, messages, 0)).isEqualTo(3);
        for (int k = 0; k < 3; k++) {
            assertThat(messages.tag(k)).isEqualTo(2 * k + 1);
            messages.free(k);
        }
        UnexpectedMessages two = UnexpectedMessages.ofCapacity(2);
        assertThat(bmi.testUnexpected(two, 0)).isEqualTo(2);
        assertThat(two.tag(0)).isZero();
        assertThat(two.tag(1)).isEqualTo(2);
        assertThat(bmi.testUnexpected(two, 0)).isEqualTo(1);
        assertThat(two.tag(0)).isEqualTo(4);
        assertThat(bmi.testUnexpected(two, 0)).isZero();
    }

    @Test
    void whatAPollFindsKeepsItsOrderAlsoIfThereIsMoreThanRoom() {
        method.remote(
                () -> {
                    for (int i = 1; i <= 3; i++) {
                        method.deliver("sender", i, 0, 1);
                    }
                });
        UnexpectedMessages two = UnexpectedMessages.ofCapacity(2);
        assertThat(bmi.testUnexpected(two, 0)).isEqualTo(2);
        assertThat(two.tag(0)).isEqualTo(1);
        assertThat(two.tag(1)).isEqualTo(2);
        assertThat(bmi.testUnexpected(two, 0)).isEqualTo(1);
        assertThat(two.tag(0)).isEqualTo(3);
    }

    @Test
    void whatAPollFindsBeforeItFailsIsThereForTheNextCall() {
        method.remote(
                () -> {
                    method.deliver("sender", 1, 0, 1);
                    method.deliver("sender", 2, 0, 1);
                    throw new IllegalStateException("played");
                });
        assertThatThrownBy(() -> bmi.testUnexpected(messages, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThat(messages.count()).isZero();
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(2);
        assertThat(messages.tag(0)).isEqualTo(1);
        assertThat(messages.tag(1)).isEqualTo(2);
        messages.free(0);
        messages.free(1);
        assertThat(method.freedTokens).hasSize(2);
    }

    /** A caller blocked on completions returns for a message that a failed call gives back. */
    @Test
    void whatAPollFindsBeforeItFailsWakesAContext() {
        List<Call<Integer>> calls = new ArrayList<>();
        method.remote(
                () -> {
                    method.deliver("sender", 1, 0, 1);
                    calls.add(start(() -> context.testContext(done, LONG_MS)).asleep());
                    throw new IllegalStateException("played");
                });
        assertThatThrownBy(() -> bmi.testUnexpected(messages, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThat(calls.getFirst().result()).isZero();
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
    }

    @Test
    void noRoomLosesNothing() {
        method.deliver("sender", 1, 0, 1);
        UnexpectedMessages none = UnexpectedMessages.ofCapacity(0);
        assertThat(bmi.testUnexpected(none, LONG_MS)).isZero();
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
    }

    @Test
    void wrongArgumentsAreRefused() {
        assertCode(ErrorCode.EINVAL, () -> bmi.testUnexpected(messages, -1));
        assertCode(ErrorCode.EINVAL, () -> bmi.testUnexpected(-1, messages, 0));
        assertCode(ErrorCode.EINVAL, () -> bmi.testUnexpected(256, messages, 0));
    }

    @Test
    void waiterIsWokenByItsClassOnly() {
        Call<Integer> call =
                start(() -> bmi.testUnexpected(9, UnexpectedMessages.ofCapacity(1), LONG_MS))
                        .asleep();
        method.deliver("sender", 1, 8, 1);
        assertThat(bmi.testUnexpected(8, messages, LONG_MS)).isEqualTo(1);
        assertThat(call.isDone()).isFalse();
        method.remote(() -> method.deliver("sender", 1, 9, 1));
        assertThat(call.result()).isEqualTo(1);
    }

    @Test
    void burstServesAllWaiters() {
        var calls =
                java.util.stream.IntStream.range(0, 4)
                        .mapToObj(
                                i ->
                                        start(
                                                        () ->
                                                                bmi.testUnexpected(
                                                                        UnexpectedMessages
                                                                                .ofCapacity(1),
                                                                        LONG_MS))
                                                .asleep())
                        .toList();
        method.remote(
                () -> {
                    for (int i = 0; i < 4; i++) {
                        method.deliver("sender", i, 0, 1);
                    }
                });
        for (Call<Integer> call : calls) {
            assertThat(call.result()).isEqualTo(1);
        }
    }

    @Test
    void freedMessageIsGoneForGood() {
        method.deliver("sender", 1, 0, 4);
        bmi.testUnexpected(messages, 0);
        MemorySegment payload = messages.payload(0);
        messages.free(0);
        assertCode(ErrorCode.EINVAL, () -> messages.free(0));
        assertCode(ErrorCode.EINVAL, () -> messages.tag(0));
        assertCode(ErrorCode.EINVAL, () -> messages.payload(0));
        assertCode(ErrorCode.EINVAL, () -> bmi.unexpectedFree(payload));
        assertThat(method.freedTokens).hasSize(1);
    }

    @Test
    void messageIsFreedByAnyViewThatBeginsAtItsPayload() {
        method.deliver("sender", 1, 0, 100);
        bmi.testUnexpected(messages, 0);
        MemorySegment payload = messages.payload(0);
        assertCode(ErrorCode.EINVAL, () -> bmi.unexpectedFree(payload.asSlice(1)));
        bmi.unexpectedFree(payload.asSlice(0, 3).asReadOnly());
        assertThat(method.freedTokens).hasSize(1);
        assertCode(ErrorCode.EINVAL, () -> messages.free(0));
        assertCode(ErrorCode.EINVAL, () -> bmi.unexpectedFree(payload));
    }

    @Test
    void foreignMemoryIsNotFreed() {
        method.deliver("sender", 1, 0, 100);
        bmi.testUnexpected(messages, 0);
        assertCode(ErrorCode.EINVAL, () -> bmi.unexpectedFree(MemorySegment.NULL));
        assertCode(
                ErrorCode.EINVAL, () -> bmi.unexpectedFree(MemorySegment.ofArray(new byte[100])));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment foreign = arena.allocate(100);
            assertCode(ErrorCode.EINVAL, () -> bmi.unexpectedFree(foreign));
        }
        assertThat(method.freedTokens).isEmpty();
    }

    @Test
    void emptyMessageMustBeFreedToo() {
        method.deliver("sender", 1, 0, 0);
        bmi.testUnexpected(messages, 0);
        assertThat(messages.sizeBytes(0)).isZero();
        MemorySegment payload = messages.payload(0);
        assertThat(payload.byteSize()).isZero();
        bmi.unexpectedFree(payload);
        assertThat(method.freedTokens).hasSize(1);
    }

    /** The object behind a message is used again; who holds the old place must see nothing. */
    @Test
    void stalePlaceDoesNotShowTheNextMessage() {
        UnexpectedMessages old = UnexpectedMessages.ofCapacity(1);
        method.deliver("sender", 1, 0, 4);
        bmi.testUnexpected(old, 0);
        bmi.unexpectedFree(old.payload(0));
        method.deliver("sender", 2, 0, 4);
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);

        assertCode(ErrorCode.EINVAL, () -> old.tag(0));
        assertCode(ErrorCode.EINVAL, () -> old.free(0));
        assertThat(messages.tag(0)).isEqualTo(2);
        messages.free(0);
        assertThat(method.freedTokens).hasSize(2);
    }

    @Test
    void clearingForgetsWithoutFreeing() {
        method.deliver("sender", 1, 0, 4);
        bmi.testUnexpected(messages, 0);
        MemorySegment payload = messages.payload(0);
        messages.clear();
        assertThat(messages.count()).isZero();
        assertCode(ErrorCode.EINVAL, () -> messages.free(0));
        bmi.unexpectedFree(payload);
    }

    @Test
    void brokenMessageIsDeliveredWithItsError() {
        MemorySegment memory = Arena.ofAuto().allocate(64);
        method.host()
                .deliverUnexpected(
                        method.address("sender"), 1, 0, ErrorCode.EIO, memory, 0, 10, 77);
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
        assertThat(messages.outcome(0)).isEqualTo(ErrorCode.EIO);
        messages.free(0);
        assertThat(method.freedTokens).containsExactly(77L);
    }

    // ---- the early return of testContext

    @Test
    void blockedTestContextReturnsEarlyOnceForEachMessage() {
        Call<Integer> call =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        method.deliver("sender", 1, 7, 1);
        assertThat(call.result()).isZero();

        // The same message does not do it again, although nobody takes it.
        assertThat(elapsedMs(() -> context.testContext(done, 60))).isGreaterThanOrEqualTo(59);

        call = start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        method.remote(() -> method.deliver("sender", 1, 0, 1));
        assertThat(call.result()).isZero();
    }

    @Test
    void messageThatCameBeforeIsAnnouncedOnceToEachContext() {
        method.deliver("sender", 1, 0, 1);
        assertThat(context.testContext(done, LONG_MS)).isZero();
        try (var other = bmi.openContext()) {
            assertThat(other.testContext(done, LONG_MS)).isZero();
            assertThat(elapsedMs(() -> other.testContext(done, 30))).isGreaterThanOrEqualTo(29);
        }
        assertThat(elapsedMs(() -> context.testContext(done, 30))).isGreaterThanOrEqualTo(29);
    }

    @Test
    void messageThatWasTakenIsNotAnnounced() {
        method.deliver("sender", 1, 0, 1);
        bmi.testUnexpected(messages, 0);
        assertThat(elapsedMs(() -> context.testContext(done, 30))).isGreaterThanOrEqualTo(29);
    }

    @Test
    void completionsComeBeforeTheEarlyReturn() {
        long id = receive();
        method.deliver("sender", 1, 0, 1);
        method.complete(id);
        assertThat(context.testContext(done, LONG_MS)).isEqualTo(1);
        assertThat(context.testContext(done, LONG_MS)).isZero();
    }

    @Test
    void onlyOneOfTwoCallersOfAContextReturnsEarly() {
        Call<Integer> one =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        Call<Integer> two =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        method.deliver("sender", 1, 0, 1);
        eventually(() -> one.isDone() || two.isDone());
        Call<Integer> other = one.isDone() ? two : one;
        assertThat(other.isDone()).isFalse();
        method.complete(receive());
        assertThat(other.result()).isEqualTo(1);
    }

    @Test
    void earlyReturnCanBeSwitchedOff() {
        assertThat(bmi.getOption(Options.CHECK_UNEXPECTED)).isTrue();
        bmi.setOption(Options.CHECK_UNEXPECTED, false);
        assertThat(bmi.getOption(Options.CHECK_UNEXPECTED)).isFalse();
        method.deliver("sender", 1, 0, 1);
        assertThat(elapsedMs(() -> context.testContext(done, 60))).isGreaterThanOrEqualTo(59);
        long id = receive();
        Call<Integer> call =
                start(() -> context.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
        method.deliver("sender", 1, 0, 1);
        assertThat(call.isDone()).isFalse();
        method.complete(id);
        assertThat(call.result()).isEqualTo(1);
    }

    @Test
    void progressDoesNotDependOnDraining() {
        method.deliver("sender", 1, 5, 1);
        context.testContext(done, LONG_MS);
        long id = receive();
        method.remote(() -> method.complete(id));
        assertThat(context.testContext(done, LONG_MS)).isEqualTo(1);
        Call<Integer> call =
                start(() -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
        method.remote(() -> method.deliver("sender", 2, 0, 1));
        assertThat(call.result()).isEqualTo(1);
    }

    @Test
    void aSenderThatFailsWhileAMethodOpensIsForgotten() {
        script.onOpen =
                opening -> {
                    opening.deliver("early", 1, 0, 1);
                    opening.host().peerFailed(opening.address("early"), EIO);
                };
        bmi.lookup("word://x");
        assertThat(gauge("bmi.peers")).isEqualTo(3);
        assertThat(bmi.testUnexpected(messages, 0)).isOne();
        messages.free(0);
        assertThat(gauge("bmi.peers")).isEqualTo(2);
    }

    /** The thread that opens the method stands still where it wakes the caller. */
    @Test
    void aMessageThatComesWhileAMethodOpensIsAnnouncedWhenACallCanGetIt() {
        bmi.lookup("kept://p"); // a place to sleep of which the test hears each wake
        CountDownLatch asked = new CountDownLatch(1);
        Call<Integer> call =
                start(
                        () -> {
                            context.testContext(done, LONG_MS);
                            int count = bmi.testUnexpected(messages, 0);
                            asked.countDown();
                            return count;
                        });
        eventually(() -> script.method("kept").sleeps.get() > 0);
        call.asleep();
        script.method("kept").onWake = () -> eventually(() -> asked.getCount() == 0);
        script.onOpen = opening -> opening.deliver("early", 1, 0, 1);
        bmi.lookup("word://x");
        assertThat(call.result()).isOne();
        script.method("kept").onWake = () -> {};
    }

    @Test
    void messagesThatComeWhileAMethodOpensAreKeptInOrder() {
        script.onOpen =
                opening -> {
                    for (int i = 0; i < 5; i++) {
                        opening.deliver("early", i, 0, 1);
                    }
                };
        bmi.lookup("word://x");
        script.method("word").deliver("early", 5, 0, 1);
        assertThat(bmi.testUnexpected(messages, LONG_MS)).isEqualTo(6);
        for (int k = 0; k < 6; k++) {
            assertThat(messages.tag(k)).isEqualTo(k);
            assertThat(messages.peer(k).scheme()).isEqualTo("word");
            messages.free(k);
        }
        assertThat(script.method("word").freedTokens).hasSize(6);
    }
}
