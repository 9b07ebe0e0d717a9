package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the lead completes in one round is handed over at the end of it. */
class RoundTest extends ScriptedTest {
    @Test
    void completionsOfARoundAreReportedInTheirOrder() {
        List<Long> ids = List.of(receive(), receive(), receive());
        method.remote(() -> ids.reversed().forEach(method::complete));
        assertThat(context.testContext(done, 0)).isEqualTo(3);
        for (int k = 0; k < 3; k++) {
            assertThat(done.id(k)).isEqualTo(ids.get(2 - k));
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void nothingIsSeenBeforeTheRoundEnds() {
        long id = receive();
        Completions inside = Completions.ofCapacity(1);
        int[] seen = new int[1];
        method.remote(
                () -> {
                    method.complete(id);
                    seen[0] = start(() -> context.test(id, inside, 0)).result();
                });
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(seen[0]).isZero();
    }

    @Test
    void eachContextGetsItsOwn() {
        CompletionContext other = bmi.openContext();
        long mine = receive();
        long its = other.postReceive(peer, buffer, 1);
        long mineToo = receive();
        method.remote(() -> List.of(its, mine, mineToo).forEach(method::complete));
        assertThat(context.testContext(done, 0)).isEqualTo(2);
        assertThat(List.of(done.id(0), done.id(1))).containsExactly(mine, mineToo);
        assertThat(other.testContext(done, 0)).isEqualTo(1);
        assertThat(done.id(0)).isEqualTo(its);
    }

    /** A method that fails keeps nobody from what it completed before. */
    @Test
    void whatWasCompletedBeforeAFailureIsReported() {
        long first = receive();
        long second = receive();
        method.remote(
                () -> {
                    method.complete(first);
                    method.complete(second);
                    throw new IllegalStateException("planned");
                });
        assertThatThrownBy(() -> context.testContext(done, 0)).hasMessage("planned");
        assertThat(context.testContext(done, 0)).isEqualTo(2);
        assertThat(inUse()).isZero();
    }

    @Test
    void everybodyWhoIsBlockedOnSomethingOfTheRoundIsWoken() {
        long first = receive();
        long second = receive();
        receive();
        Call<Integer> one = start(() -> context.test(first, Completions.ofCapacity(1), LONG_MS));
        Call<Integer> two = start(() -> context.test(second, Completions.ofCapacity(1), LONG_MS));
        Call<Integer> any = start(() -> context.testContext(Completions.ofCapacity(4), LONG_MS));
        List.of(one, two, any).forEach(Call::asleep);
        method.remote(() -> method.heldIds().forEach(method::complete));
        assertThat(one.result()).isEqualTo(1);
        assertThat(two.result()).isEqualTo(1);
        assertThat(any.result()).isEqualTo(1);
    }

    /** The close comes between the completion and its report at the end of the round. */
    @Test
    void aCallerGetsWhatTheRoundCompletedThoughItsContextCloses() {
        CompletionContext closing = bmi.openContext();
        long id = closing.postReceive(peer, buffer, 1);
        Call<Integer> lead = start(() -> context.testContext(done, LONG_MS)).asleep();
        Completions its = Completions.ofCapacity(1);
        Call<Integer> waits = start(() -> closing.test(id, its, LONG_MS)).asleep();
        method.remote(
                () -> {
                    method.complete(id);
                    Call<Boolean> close =
                            start(
                                    () -> {
                                        closing.close();
                                        return true;
                                    });
                    eventually(() -> close.isDone() || close.isAsleep());
                    if (close.isDone()) {
                        waits.result(); // it was woken before the round ends
                    }
                });
        assertThat(waits.result()).isOne();
        assertThat(its.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        bmi.close();
        assertThat(lead.result()).isZero();
    }

    /** Nobody asks for them any more, and nothing of them stays. */
    @Test
    void completionsOfAContextThatCloses() {
        CompletionContext closing = bmi.openContext();
        long id = closing.postReceive(peer, buffer, 1);
        method.move(id);
        Call<Void> close =
                start(
                        () -> {
                            closing.close();
                            return null;
                        });
        close.asleep(); // for the transfer
        method.remote(() -> method.complete(id));
        close.result();
        eventually(() -> inUse() == 0);
    }
}
