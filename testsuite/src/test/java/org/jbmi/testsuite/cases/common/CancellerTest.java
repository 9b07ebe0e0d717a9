package org.jbmi.testsuite.cases.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.Posted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The thread that cancels finds both outcomes, and a cancel that hangs does not hold the case. */
@Timeout(30)
class CancellerTest {
    private static final long PATIENCE_MS = 10_000;

    /** The outcomes of an operation that takes a while, on a busy machine. */
    @Test
    void aSlowOperationCompletesInSomeOfAFewRounds() throws Exception {
        AtomicLong cancelNs = new AtomicLong();
        CompletionContext context =
                cancelling(
                        () -> {
                            cancelNs.set(System.nanoTime());
                            return CancelOutcome.REQUESTED;
                        });
        int succeeded = 0;
        try (var canceller = new Canceller(context, PATIENCE_MS)) {
            while (canceller.goesOn(12)) {
                long doneNs = System.nanoTime() + 50_000_000;
                canceller.begin(new Posted(context, 0), () -> {});
                canceller.await(Thread::onSpinWait);
                boolean inTime = cancelNs.get() - doneNs < 0;
                long result = inTime ? ErrorCode.ECANCEL.negativeValue() : 0;
                succeeded += canceller.hasCancelled(new Posted(context, result)) ? 0 : 1;
            }
        }
        assertThat(succeeded).isPositive();
    }

    @Test
    void oneOutcomeOnlyIsAFailure() {
        CompletionContext context = cancelling(() -> CancelOutcome.ALREADY_DONE);
        assertThatThrownBy(
                        () -> {
                            try (var canceller = new Canceller(context, PATIENCE_MS)) {
                                while (canceller.goesOn(12)) {
                                    canceller.begin(new Posted(context, 0), () -> {});
                                    canceller.hasCancelled(new Posted(context, 0));
                                }
                            }
                        })
                .isInstanceOf(ConformanceFailure.class)
                .hasMessageContaining("in time were 0 of");
    }

    @Test
    void aCancelThatHangsIsNamedAndHoldsNobody() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletionContext context =
                cancelling(
                        () -> {
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                interrupted.countDown();
                            }
                            return CancelOutcome.UNKNOWN;
                        });
        Posted operation = new Posted(context, 0);
        try (var canceller = new Canceller(context, 100)) {
            canceller.begin(operation, () -> {});
            assertThatThrownBy(() -> canceller.hasCancelled(operation))
                    .isInstanceOf(ConformanceFailure.class)
                    .hasMessageContaining("the thread that cancels ends its round");
        }
        interrupted.await();
    }

    private static CompletionContext cancelling(Supplier<CancelOutcome> cancel) {
        return (CompletionContext)
                Proxy.newProxyInstance(
                        CompletionContext.class.getClassLoader(),
                        new Class<?>[] {CompletionContext.class},
                        (proxy, method, arguments) -> {
                            assertThat(method.getName()).isEqualTo("cancel");
                            return cancel.get();
                        });
    }
}
