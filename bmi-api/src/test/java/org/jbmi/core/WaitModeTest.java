package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.scripted.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting as the knob {@code bmi.wait} says it. */
class WaitModeTest extends ScriptedTest {
    /** The instance that the next test is about. */
    private void reopen(String mode) {
        reopen(mode, "test");
    }

    private void reopen(String mode, String scheme) {
        bmi.close();
        BmiBuilder builder = Bmi.builder().knob("bmi.wait", mode);
        bmi = builder.attach(Script.class, script).open();
        context = bmi.openContext();
        peer = bmi.lookup(scheme + "://peer");
        method = script.method(scheme);
    }

    private Call<Integer> waiter(long id) {
        return waiter(id, Completions.ofCapacity(1));
    }

    private Call<Integer> waiter(long id, Completions done) {
        int before = method.progressCalls.get();
        Call<Integer> call = start(() -> context.test(id, done, LONG_MS));
        eventually(() -> method.progressCalls.get() > before + 1000);
        return call;
    }

    @ParameterizedTest
    @ValueSource(strings = {"spin", "yield"})
    void whoNeverSleepsIsEndedByAnEventInterruptAndClose(String mode) {
        reopen(mode);
        long id = receive();
        Call<Integer> call = waiter(id);
        assertThat(method.sleeps.get()).isZero();
        method.remote(() -> method.complete(id));
        assertThat(call.result()).isEqualTo(1);

        Call<Integer> interrupted = waiter(receive());
        interrupted.thread.interrupt();
        assertThat(interrupted.result()).isZero();

        Completions done = Completions.ofCapacity(1);
        Call<Integer> closed = waiter(receive(), done);
        bmi.close();
        assertThat(closed.result()).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        assertThat(method.sleeps.get()).isZero();
    }

    @Test
    void whoBlocksSleepsAfterOneLook() {
        reopen("block");
        long id = receive();
        int before = method.progressCalls.get();
        Call<Integer> call =
                start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        assertThat(method.progressCalls.get() - before).isLessThan(100);
        method.remote(() -> method.complete(id));
        assertThat(call.result()).isEqualTo(1);
    }

    @Test
    void whoBlocksSleepsWithoutALookWhereTheSleepFindsAll() {
        reopen("block", "owner");
        // The first wait looks because a method has just come.
        long early = receive();
        method.remote(() -> method.complete(early));
        assertThat(context.test(early, Completions.ofCapacity(1), LONG_MS)).isEqualTo(1);

        long id = receive();
        int before = method.progressCalls.get();
        method.progressCallsAtArm.set(-1);
        Call<Integer> call =
                start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        assertThat(method.progressCallsAtArm.get()).isEqualTo(before);
        method.remote(() -> method.complete(id));
        assertThat(call.result()).isEqualTo(1);

        long waiting = receive();
        method.remote(() -> method.complete(waiting));
        assertThat(context.test(waiting, Completions.ofCapacity(1), LONG_MS)).isEqualTo(1);

        long polled = receive();
        method.remote(() -> method.complete(polled));
        assertThat(context.test(polled, Completions.ofCapacity(1), 0)).isEqualTo(1);
    }

    @Test
    void whoBlocksAmongMethodsThatMustBeLookedAtLooks() {
        reopen("block", "owner");
        bmi.lookup("word://peer");
        // The first wait looks because a method has just come.
        long early = receive();
        method.remote(() -> method.complete(early));
        assertThat(context.test(early, Completions.ofCapacity(1), LONG_MS)).isEqualTo(1);

        long id = receive();
        int before = method.progressCalls.get();
        method.progressCallsAtArm.set(-1);
        start(() -> context.test(id, Completions.ofCapacity(1), LONG_MS)).asleep();
        assertThat(method.progressCallsAtArm.get()).isGreaterThan(before);
        bmi.close();
    }
}
