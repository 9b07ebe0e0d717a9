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
import java.util.concurrent.locks.LockSupport;

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

    /** The first steps reach 10 ms: a large message takes long on a busy machine. */
    private static final int MOST_DOUBLINGS_FIRST = 10;

    /** After some changes of the outcome, the delay stays near the time of the completion. */
    private static final int MOST_DOUBLINGS = 5;

    private static final long PATIENCE_MS = 20_000;
    private static final long PAUSE_NS = 20_000;

    /** Of so many rounds at least one must end in each way. */
    private static final int RARE = 100;

    /** So many rounds may begin alike, or follow the asked ones until both outcomes came. */
    private static final int MOST_MORE = 40;

    private final CompletionContext context;
    private final long patienceMs;
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("canceller").factory());
    private Future<CancelOutcome> round = new CompletableFuture<>();

    /** From the begin of a round to its cancel; below 0: the case waits instead. */
    private long delayNs;

    private boolean wasCancelled;
    private int inARow;
    private int doublings = MOST_DOUBLINGS_FIRST;
    private int cancelled;
    private int rounds;

    /**
     * Makes one that cancels nothing yet.
     *
     * @param context of the operations
     */
    public Canceller(CompletionContext context) {
        this(context, PATIENCE_MS);
    }

    /** With the time that a round may take. */
    Canceller(CompletionContext context, long patienceMs) {
        this.context = context;
        this.patienceMs = patienceMs;
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
        round =
                executor.submit(
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

    /**
     * Waits until the thread is done with this round. Fails if it takes too long: its cancel hangs.
     *
     * @param meanwhile what the caller does again and again
     */
    public void await(Runnable meanwhile) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        while (!round.isDone()) {
            Expect.that(
                    System.nanoTime() - endNs < 0 && !Thread.currentThread().isInterrupted(),
                    "the thread that cancels ends its round within " + patienceMs + " ms");
            meanwhile.run();
        }
    }

    /**
     * Ends a round.
     *
     * @return whether the operation ended with ECANCEL; it succeeded otherwise
     */
    public boolean hasCancelled(Posted operation) throws Exception {
        await(() -> LockSupport.parkNanos(PAUSE_NS));
        CancelOutcome outcome = round.get();
        Posted.finish(operation);
        operation.agreesWith(outcome);
        boolean isCancelled = operation.error() != 0;
        if (isCancelled) {
            operation.fails(ErrorCode.ECANCEL);
            cancelled++;
        }
        rounds++;
        inARow++;
        if (isCancelled != wasCancelled) {
            inARow = 1;
            doublings = Math.max(MOST_DOUBLINGS, doublings - 1);
        }
        wasCancelled = isCancelled;
        long stepNs = isCancelled ? LATER_NS : -EARLIER_NS;
        delayNs += stepNs << Math.clamp(inARow - SLOW_STEPS, 0, doublings);
        return isCancelled;
    }

    /**
     * Whether there is a further round. Some follow the asked ones while an outcome is missing;
     * then it fails: the case has not tested the race.
     *
     * @param asked how many rounds there are at least
     * @return true until both outcomes came now and then
     */
    public boolean goesOn(int asked) {
        int rarer = Math.min(cancelled, rounds - cancelled);
        if (rounds >= asked && rarer >= Math.max(1, rounds / RARE)) {
            return false;
        }
        Expect.that(
                rounds < (rarer == 0 ? MOST_MORE : asked + MOST_MORE),
                "cancels and completions race; in time were " + cancelled + " of " + rounds);
        return true;
    }

    /** Ends the thread, also while its cancel hangs. */
    @Override
    public void close() {
        executor.shutdownNow(); // close() would wait for a cancel that hangs
    }
}
