package org.jbmi.core.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.jbmi.core.operation.DeadlineQueue;
import org.jbmi.core.operation.OperationLooks;
import org.jbmi.core.operation.OperationRounds;
import org.jbmi.core.operation.OperationTable;
import org.jbmi.spi.WaitPolicy;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The queue of blocked callers against a list. */
class WaiterQueueTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private final Progress progress =
            new Progress(
                    new OperationRounds(
                            new DeadlineQueue(), new OperationLooks(new OperationTable(64))),
                    WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));

    @Test
    void aWaiterKeepsNoLongArray() {
        Waiter waiter = new Waiter();
        waiter.keep(new long[257], 257);
        waiter.end();
        long[] kept = waiter.keep(new long[256], 256);
        assertThat(kept).hasSize(256);
        waiter.end();
        assertThat(waiter.keep(new long[1], 1)).isSameAs(kept);
    }

    /** Below 6 a waiter enters, or leaves if it is in; 6 takes the one in front. */
    @Property(tries = 300)
    void behavesLikeAList(@ForAll @Size(max = 60) List<@IntRange(max = 7) Integer> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    WaiterQueue queue = new WaiterQueue();
                    List<Waiter> model = new ArrayList<>();
                    Waiter[] waiters = new Waiter[6];
                    for (int i = 0; i < waiters.length; i++) {
                        waiters[i] = new Waiter();
                    }
                    for (int step : program) {
                        if (step < waiters.length) {
                            enterOrLeave(queue, model, waiters[step]);
                        } else {
                            Waiter expected = model.isEmpty() ? null : model.removeFirst();
                            assertThat(queue.markOne()).isSameAs(expected);
                            if (expected != null) {
                                assertThat(expected.isSignalled()).isTrue();
                                // It leaves when it is awake, and is out already.
                                queue.remove(expected);
                            }
                        }
                    }
                    for (Waiter expected : model) {
                        assertThat(expected.isSignalled()).isFalse();
                        assertThat(queue.markOne()).isSameAs(expected);
                    }
                    assertThat(queue.markOne()).isNull();
                });
    }

    private static void enterOrLeave(WaiterQueue queue, List<Waiter> model, Waiter waiter) {
        if (model.remove(waiter)) {
            queue.remove(waiter);
        } else {
            waiter.rearm();
            queue.add(waiter);
            model.add(waiter);
        }
    }

    @Test
    void allAreSignalledAndNoneIsLeft() {
        WaiterQueue queue = new WaiterQueue();
        List<Waiter> waiters = List.of(new Waiter(), new Waiter(), new Waiter());
        waiters.forEach(queue::add);
        queue.signalAll(progress);
        assertThat(waiters).allMatch(Waiter::isSignalled);
        assertThat(queue.markOne()).isNull();
    }
}
