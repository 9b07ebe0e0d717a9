package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.PostOptions;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.Method;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.spi.Waitable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A method that fails with an Error: what it was told is told again, and nobody is locked out. */
@Timeout(30)
class ProgressErrorsTest {
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final Progress progress =
            new Progress(
                    new OperationRounds(deadlines, new OperationLooks(new OperationTable(64))),
                    WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
    private final List<String> calls = new ArrayList<>();
    private final Waiter waiter = new WaiterPool().take();
    private String failing = "";
    private boolean failsAlways;

    /**
     * A method, and its own waitable, that does nothing, writes down its calls, and fails in the
     * one that is named, once or always.
     */
    private final Method method = played("");

    /** The same, with a word before what it writes down, and in what is named. */
    private Method played(String before) {
        return (Method)
                Proxy.newProxyInstance(
                        Method.class.getClassLoader(),
                        new Class<?>[] {Method.class, Waitable.class},
                        (proxy, call, arguments) -> {
                            if (call.getName().equals("waitable")) {
                                return proxy;
                            }
                            String name = before + call.getName();
                            calls.add(name);
                            if (call.getName().equals("disarm")) {
                                waiter.mark(); // the wait is over with its first sleep
                            }
                            if (name.equals(failing)) {
                                failing = failsAlways ? failing : "";
                                throw new OutOfMemoryError("planted");
                            }
                            Object answer = answers().get(call.getName());
                            return answer == null && call.isDefault()
                                    ? ofInterface(proxy, call, arguments)
                                    : answer;
                        });
    }

    private static Map<String, Object> answers() {
        return Map.of(
                "poll",
                0,
                "askAndPoll",
                0,
                "arm",
                true,
                "sleepsOn",
                new SleepPlace.Anywhere(),
                "cancel",
                CancelOutcome.CANCELLED);
    }

    private static Object ofInterface(
            Object proxy, java.lang.reflect.Method call, Object[] arguments) throws Throwable {
        try {
            return java.lang.reflect.InvocationHandler.invokeDefault(proxy, call, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void anOperationWhoseEndFailsIsEndedInTheNextRound() {
        progress.add(method, () -> {});
        expire(new OperationTable(64));

        failing = "cancel";
        assertThatThrownBy(() -> progress.pollOnce(true)).isInstanceOf(OutOfMemoryError.class);
        calls.clear();
        progress.pollOnce(true);

        assertThat(calls).contains("cancel", "askAndPoll");
        assertThat(deadlines.isEmpty()).isTrue();
    }

    @Test
    void anOperationWhoseEndFailsKeepsNoOtherFromItsEnd() {
        progress.add(method, () -> {});
        OperationTable table = new OperationTable(64);
        expire(table);
        expire(table);

        failing = "cancel";
        assertThatThrownBy(() -> progress.pollOnce(true)).isInstanceOf(OutOfMemoryError.class);
        assertThat(calls).filteredOn("cancel"::equals).hasSize(2);
        assertThat(deadlines.isEmpty()).isFalse();
        progress.pollOnce(true);

        assertThat(calls).filteredOn("cancel"::equals).hasSize(3);
        assertThat(deadlines.isEmpty()).isTrue();
    }

    @Test
    void aMethodThatAlwaysFailsToPollKeepsNoOtherFromProgress() {
        progress.add(method, () -> {});
        progress.add(played("second "), () -> {});
        failing = "askAndPoll";
        pollsTheSecondInEachRound();
    }

    @Test
    void aMethodThatAlwaysFailsToCancelKeepsNoneFromProgress() {
        progress.add(method, () -> {});
        progress.add(played("second "), () -> {});
        expire(new OperationTable(64));
        failing = "cancel";
        pollsTheSecondInEachRound();
        assertThat(calls).filteredOn("askAndPoll"::equals).hasSize(3);
    }

    private void pollsTheSecondInEachRound() {
        failsAlways = true;
        for (int round = 1; round <= 3; round++) {
            assertThatThrownBy(() -> progress.pollOnce(true)).hasMessage("planted");
            assertThat(calls).filteredOn("second askAndPoll"::equals).hasSize(round);
        }
    }

    /** Adds an operation, and waits until it has expired. */
    private void expire(OperationTable table) {
        CoreOperation operation = Stocks.take(new OperationStock(table, deadlines, new SpinLock()));
        operation.method = method;
        operation.options(PostOptions.NONE.withDeadlineMs(1));
        long id = operation.begin(table.slotBits());
        deadlines.reserve();
        deadlines.add(operation, id);
        long endNs = operation.deadlineNs();
        while (System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
    }

    private void awaitInVain() {
        waiter.rearm();
        long endNs = System.nanoTime() + 60_000_000_000L;
        assertThatThrownBy(() -> progress.await(waiter, endNs))
                .isInstanceOf(OutOfMemoryError.class);
    }

    /** What one method does not take back it takes for a sleep that never ends. */
    @Test
    void whatFailsWhereASleepEndsKeepsNoOtherMethodAsleep() {
        progress.add(method, () -> {});
        progress.add(played("second "), () -> {});
        failing = "disarm";
        awaitInVain();
        assertThat(calls).containsSubsequence("disarm", "second disarm");
        assertThat(calls.indexOf("second disarm")).isEqualTo(calls.indexOf("disarm") + 1);
    }

    @Test
    void whatFailsWhereAWaitEndsIsToldToTheOtherMethodsAllTheSame() {
        progress.add(method, () -> {});
        progress.add(played("second "), () -> {});
        failing = "endWait";
        awaitInVain();
        assertThat(calls).containsSubsequence("endWait", "second endWait");
    }

    @Test
    void aFailureWhereAWaitEndsLeavesTheLeadToOthers() {
        progress.add(method, () -> {});
        failing = "endWait";
        awaitInVain();
        calls.clear();
        progress.pollOnce(true);
        assertThat(calls).contains("askAndPoll");
    }
}
