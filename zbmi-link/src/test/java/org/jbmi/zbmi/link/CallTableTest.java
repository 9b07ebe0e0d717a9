package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** More calls at once than there are places. */
@Timeout(60)
class CallTableTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);

    private final CallTable calls = new CallTable();

    private CallTable.Call take() {
        return calls.take(NanoClock.SYSTEM, LONG_NS, () -> false);
    }

    // A park ends at once while its thread is interrupted; the call would look again and again.
    @Test
    void whoWasInterruptedSleepsUntilThereIsAPlace() throws Exception {
        CallTable.Call first = take();
        for (int i = 1; i < CallTable.MAX_CALLS; i++) {
            assertThat(take()).isNotNull();
        }
        AtomicReference<CallTable.Call> taken = new AtomicReference<>();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread waiting =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    taken.set(take());
                                    isInterrupted.set(Thread.currentThread().isInterrupted());
                                });
        while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        calls.release(first);
        waiting.join();
        assertThat(taken).as("it slept, and took its place").hasValue(first);
        assertThat(isInterrupted).isTrue();
    }
}
