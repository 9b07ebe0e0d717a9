package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Callers that block, for real time or many times over: how long they do, and who is told. */
class LongWaitsTest extends ScriptedTest {
    private static Completions room() {
        return Completions.ofCapacity(4);
    }

    @Test
    void waitsHonourTheirTime() {
        long id = receive();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        List<Runnable> calls =
                List.of(
                        () -> assertThat(context.test(id, done, 100)).isZero(),
                        () -> assertThat(context.testSome(new long[] {id}, 1, done, 100)).isZero(),
                        () -> assertThat(context.testContext(done, 100)).isZero(),
                        () -> assertThat(bmi.testUnexpected(messages, 100)).isZero());
        for (Runnable call : calls) {
            assertThat(elapsedMs(call)).isBetween(99L, 10_000L);
        }
        method.complete(id);
        assertThat(context.test(id, done, Long.MAX_VALUE)).isEqualTo(1);
    }

    /** Followers whose time is over must not take the lead away with them. */
    @Test
    void theLeadPassesToWhoStays() {
        long id = receive();
        for (int round = 0; round < 30; round++) {
            List<Call<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                int idleMs = 1 + i;
                calls.add(start(() -> context.test(id, room(), idleMs)));
            }
            for (Call<Integer> call : calls) {
                assertThat(call.result()).isZero();
            }
        }
        Call<Integer> stays = start(() -> context.test(id, room(), LONG_MS)).asleep();
        method.remote(() -> method.complete(id));
        assertThat(stays.result()).isEqualTo(1);
        assertThat(method.listening).isFalse();
    }

    /** However leads and their heirs leave: when nobody waits, the method has been told so. */
    @Test
    void methodsAreToldWhenNobodyWaitsAnyMore() {
        for (int round = 0; round < 300; round++) {
            long[] ids = {receive(), receive(), receive()};
            List<Call<Integer>> calls = new ArrayList<>();
            for (long id : ids) {
                calls.add(start(() -> context.test(id, room(), LONG_MS)));
            }
            if ((round & 1) == 0) {
                calls.forEach(Call::asleep);
            }
            for (long id : ids) {
                method.complete(id);
            }
            calls.forEach(call -> assertThat(call.result()).isEqualTo(1));
            assertThat(method.listening).as("round " + round).isFalse();
        }
        assertThat(method.waitsBegun.get()).isPositive();
    }

    @Test
    void idleWaitersDoNotSpin() {
        int before = method.progressCalls.get();
        context.testContext(done, 500);
        assertThat(method.progressCalls.get() - before).isLessThan(100);
    }
}
