package org.jbmi.core.operation;

import org.jbmi.ErrorCode;
import org.jbmi.core.waiting.LeadDuties;
import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * The lead's work on operations in a round of progress. It cancels those that expired. At the end
 * of the round it reports what it completed, with one lock for each context. Completions by other
 * threads are reported at once.
 */
public final class OperationRounds implements LeadDuties {
    private final DeadlineQueue deadlines;
    private final OperationLooks looks;

    /**
     * The thread that runs the round, null between rounds. Read without a lock: a thread finds
     * itself here only if it stored itself.
     */
    private @Nullable Thread lead;

    /** The contexts of which the lead completed something; only the lead uses it. */
    private final IntrusiveQueue<CompletionQueue> queues = new IntrusiveQueue<>();

    public OperationRounds(DeadlineQueue deadlines, OperationLooks looks) {
        this.deadlines = deadlines;
        this.looks = looks;
    }

    /**
     * A method completes an operation: reported at the end of the round if the lead calls, else at
     * once. Any thread may call this.
     */
    public void complete(Operation operation, int error, long sizeBytes) {
        CoreOperation own = (CoreOperation) operation;
        CompletionQueue queue = own.queue;
        if (queue == null) {
            return;
        }
        if (isMine()) {
            if (queue.completeInRound(own, error, sizeBytes)) {
                queues.addFirst(queue);
            }
            queue.recorded(own, error, sizeBytes);
        } else {
            queue.complete(own, error, sizeBytes);
        }
    }

    /** Whether the calling thread is the lead in a round. */
    @SuppressWarnings("ReferenceEquality") // the very thread
    private boolean isMine() {
        return lead == Thread.currentThread();
    }

    @Override
    public boolean hasDeadlines() {
        return !deadlines.isEmpty();
    }

    @Override
    public long untilNextNs(long nowNs) {
        return deadlines.untilNextNs(nowNs);
    }

    /** If a method fails, the others are cancelled all the same; the first failure is thrown. */
    @Override
    public int endExpired() {
        int expired = 0;
        Throwable failure = null;
        long now = System.nanoTime();
        CoreOperation operation = deadlines.pollExpired(now);
        while (operation != null) {
            try {
                cancelExpired(operation, deadlines.expiredId(), now);
                expired++;
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
            operation = deadlines.pollExpired(now);
        }
        Failures.rethrow(failure);
        return expired;
    }

    /** Cancels an expired operation; if the method fails, the next round tries again. */
    private void cancelExpired(CoreOperation operation, long id, long nowNs) {
        boolean told = false;
        try {
            Method method = operation.method;
            if (method != null) {
                method.cancel(operation, id, ErrorCode.ETIMEDOUT.negativeValue());
            }
            told = true;
        } finally {
            if (told) {
                deadlines.unreserve();
            } else {
                deadlines.add(operation, id, nowNs + 1); // behind those of this round
            }
        }
    }

    @Override
    public void beforeSleep(long nowNs) {
        looks.beforeSleep(nowNs);
    }

    @Override
    public void beginRound() {
        lead = Thread.currentThread();
    }

    /** Reports what the round completed. What a failure leaves is reported after the next round. */
    @Override
    public void endRound() {
        lead = null;
        for (CompletionQueue queue = queues.poll(); queue != null; queue = queues.poll()) {
            try {
                queue.endRound();
            } finally {
                if (queue.hasRound()) {
                    queues.addFirst(queue);
                }
            }
        }
    }
}
