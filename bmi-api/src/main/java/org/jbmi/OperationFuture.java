package org.jbmi;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The outcome of one operation, for programs that pass it to other code. The threads that wait for
 * it make the progress themselves, so the future needs no thread of its own. Its value is the size
 * of the message in bytes.
 *
 * <p>The future tests by id. If other code tests that id, or calls {@link
 * CompletionContext#testContext} on the same context, that code may get the outcome, and this
 * future ends with {@link ErrorCode#EINVAL}. If the context is closed first, the calls here throw a
 * {@link BmiException} with {@link ErrorCode#EINVAL}. Safe for use by any thread.
 */
public final class OperationFuture implements Future<Long> {
    private static final long NS_PER_MS = 1_000_000;

    /** The longest single wait, since several threads may wait with different timeouts. */
    private static final long SLICE_NS = 1000 * NS_PER_MS;

    private final CompletionContext context;
    private final long id;
    private final Completions room = Completions.ofCapacity(1);
    private final ReentrantLock lock = new ReentrantLock();
    private long sizeBytes;
    private ErrorCode outcome = ErrorCode.SUCCESS;
    private volatile boolean done;

    private OperationFuture(CompletionContext context, long postResult) {
        this.context = context;
        this.id = postResult;
        if (PostResult.isCompleted(postResult)) {
            sizeBytes = postResult;
            done = true;
        } else if (PostResult.isRefused(postResult)) {
            outcome = PostResult.refusal(postResult);
            done = true;
        }
    }

    /**
     * The future of what a post returned: an id, a size or a refusal.
     *
     * @param context where it was posted
     * @param postResult what the post returned
     * @return a future; done already if the operation is
     */
    public static OperationFuture of(CompletionContext context, long postResult) {
        return new OperationFuture(context, postResult);
    }

    /**
     * Cancels the operation, see {@link CompletionContext#cancel}. Never blocks.
     *
     * @param mayInterruptIfRunning not used
     * @return true if it is certain that the operation ends with {@link ErrorCode#ECANCEL}; after
     *     false it may end so, or with another outcome
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return !done && context.cancel(id) == CancelOutcome.CANCELLED;
    }

    @Override
    public boolean isCancelled() {
        return isDone() && outcome == ErrorCode.ECANCEL;
    }

    /** Checks whether the operation is over, and makes progress. */
    @Override
    public boolean isDone() {
        if (!done && lock.tryLock()) {
            try {
                collect(0);
            } finally {
                lock.unlock();
            }
        }
        return done;
    }

    /**
     * Waits for the outcome.
     *
     * @return the size of the message in bytes
     * @throws ExecutionException with a {@link BmiException} that has the operation's code
     * @throws CancellationException if it was cancelled
     * @throws InterruptedException if the thread was interrupted; the operation goes on
     */
    @Override
    public Long get() throws InterruptedException, ExecutionException {
        while (!await(SLICE_NS)) {
            checkInterrupt();
        }
        return result();
    }

    /**
     * Waits for the outcome for a bounded time. Otherwise fails as {@link #get()} does.
     *
     * @param timeout the longest wait; with 0 or less it checks once
     * @param unit its unit
     * @return the size of the message in bytes
     * @throws TimeoutException if the operation is still pending; it goes on
     */
    @Override
    public Long get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long beginNs = System.nanoTime();
        long timeoutNs = Math.max(0, unit.toNanos(timeout));
        long leftNs = timeoutNs;
        while (!await(Math.min(SLICE_NS, leftNs))) {
            checkInterrupt();
            leftNs = timeoutNs - (System.nanoTime() - beginNs);
            if (leftNs <= 0) {
                throw new TimeoutException("The operation is still pending.");
            }
        }
        return result();
    }

    /** Waits for another thread that waits, and for the outcome, in the same time. */
    private boolean await(long waitNs) throws InterruptedException {
        long beginNs = System.nanoTime();
        if (!done && lock.tryLock(waitNs, TimeUnit.NANOSECONDS)) {
            try {
                long leftNs = Math.max(0, waitNs - (System.nanoTime() - beginNs));
                collect((leftNs + NS_PER_MS - 1) / NS_PER_MS);
            } finally {
                lock.unlock();
            }
        }
        return done;
    }

    /** Asks the context for the outcome. Called with the lock held. */
    private void collect(long waitMs) {
        if (!done && context.test(id, room, waitMs) == 1) {
            outcome = room.outcome(0);
            sizeBytes = room.sizeBytes(0);
            room.clear();
            done = true;
        }
    }

    private static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private Long result() throws ExecutionException {
        if (outcome == ErrorCode.ECANCEL) {
            throw new CancellationException();
        }
        if (!outcome.isSuccess()) {
            throw new ExecutionException(
                    new BmiException(outcome, "The operation failed: " + outcome + "."));
        }
        return sizeBytes;
    }
}
