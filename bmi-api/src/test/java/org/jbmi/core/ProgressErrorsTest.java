package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.PostOptions;
import org.jbmi.spi.Method;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
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
            new Progress(deadlines, WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
    private final List<String> calls = new ArrayList<>();
    private String failing = "";

    /**
     * A method that does nothing, writes down its calls, and fails once in the one that is named.
     */
    private final Method method =
            (Method)
                    Proxy.newProxyInstance(
                            Method.class.getClassLoader(),
                            new Class<?>[] {Method.class},
                            (proxy, call, arguments) -> {
                                calls.add(call.getName());
                                if (call.getName().equals(failing)) {
                                    failing = "";
                                    throw new OutOfMemoryError("planted");
                                }
                                Object answer = answers().get(call.getName());
                                return answer == null && call.isDefault()
                                        ? ofInterface(proxy, call, arguments)
                                        : answer;
                            });

    private static Map<String, Object> answers() {
        return Map.of(
                "progress",
                0,
                "poll",
                0,
                "sleepKind",
                Method.SleepKind.LOCAL,
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
        progress.add(method);
        OperationTable table = new OperationTable(64);
        CoreOperation operation = Stocks.take(new OperationStock(table, deadlines, new SpinLock()));
        operation.method = method;
        operation.options(PostOptions.NONE.withDeadlineMs(1));
        long id = operation.begin(table.slotBits());
        deadlines.add(operation, id);
        long endNs = operation.deadlineNs();
        while (System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }

        failing = "cancel";
        assertThatThrownBy(() -> progress.pollOnce(true)).isInstanceOf(OutOfMemoryError.class);
        calls.clear();
        progress.pollOnce(true);

        assertThat(calls).contains("cancel", "poll");
        assertThat(deadlines.isEmpty()).isTrue();
    }

    @Test
    void aFailureWhereAWaitEndsLeavesTheLeadToOthers() {
        progress.add(method);
        Waiter waiter = new WaiterPool().take();
        waiter.rearm();
        failing = "waitOver";
        long endNs = System.nanoTime() + 200_000_000;
        assertThatThrownBy(() -> progress.await(waiter, endNs))
                .isInstanceOf(OutOfMemoryError.class);
        calls.clear();
        progress.pollOnce(true);
        assertThat(calls).contains("poll");
    }
}
