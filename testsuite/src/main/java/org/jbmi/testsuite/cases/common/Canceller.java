package org.jbmi.testsuite.cases.common;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A thread that cancels one operation after the other while the case completes them. It cancels
 * earlier after a success, and later after a cancel that was in time. So on each method and machine
 * most cancels meet the completion, and some come before it, some behind it.
 */
public final class Canceller implements AutoCloseable {
    private static final long EARLIER_NS = 3_000;
    private static final long LATER_NS = 10_000;

    /** From so many equal outcomes in a row on, each step is twice as long as the last one. */
    private static final int SLOW_STEPS = 4;

    private static final int MOST_DOUBLINGS = 5;
    private static final int PATIENCE_S = 20;

    /** Of so many rounds at least one must end in each way. */
    private static final int RARE = 100;

    private final CompletionContext context;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("canceller").factory());
    private Future<CancelOutcome> said = new CompletableFuture<>();

    /** From the begin of a round to its cancel; below 0: the case waits instead. */
    private long delayNs;

    private boolean wasCancelled;
    private int inARow;
    private int cancelled;
    private int rounds;

    /**
     * Makes one that cancels nothing yet.
     *
     * @param context of the operations
     */
    public Canceller(CompletionContext context) {
        this.context = context;
    }

    /**
     * Begins a round. The caller completes the operation next.
     *
     * @param operation to be cancelled
     * @param then what the thread does behind its cancel
     */
    public void begin(Posted operation, Runnable then) {
        long nowNs = System.nanoTime();
        long cancelNs = nowNs + delayNs;
        said =
                thread.submit(
                        () -> {
                            waitUntil(cancelNs);
                            CancelOutcome outcome = context.cancel(operation.result());
                            then.run();
                            return outcome;
                        });
        waitUntil(nowNs - delayNs);
    }

    private static void waitUntil(long timeNs) {
        while (System.nanoTime() - timeNs < 0) {
            Thread.onSpinWait();
        }
    }

    /** {@return whether the thread is not yet done with this round} */
    public boolean isBusy() {
        return !said.isDone();
    }

    /**
     * Ends a round.
     *
     * @return whether the operation ended with ECANCEL; it succeeded otherwise
     */
    public boolean hasCancelled(Posted operation) throws Exception {
        CancelOutcome outcome = said.get(PATIENCE_S, TimeUnit.SECONDS);
        Posted.finish(operation);
        operation.agreesWith(outcome);
        boolean isCancelled = operation.error() != 0;
        if (isCancelled) {
            operation.fails(ErrorCode.ECANCEL);
            cancelled++;
        }
        rounds++;
        inARow = isCancelled == wasCancelled ? inARow + 1 : 1;
        wasCancelled = isCancelled;
        long stepNs = isCancelled ? LATER_NS : -EARLIER_NS;
        delayNs += stepNs << Math.clamp(inARow - SLOW_STEPS, 0, MOST_DOUBLINGS);
        return isCancelled;
    }

    /** Fails unless both outcomes came now and then: the case has not tested the race otherwise. */
    public void expectBoth() {
        int least = Math.max(1, rounds / RARE);
        Expect.that(
                cancelled >= least && rounds - cancelled >= least,
                "cancels and completions race; in time were " + cancelled + " of " + rounds);
    }

    /** Ends the thread, after its round. */
    @Override
    public void close() {
        thread.close();
    }
}
