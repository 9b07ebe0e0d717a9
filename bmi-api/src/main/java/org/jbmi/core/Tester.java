package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;

/** The test calls of one context. */
final class Tester {
    private final CoreBmi owner;
    private final CoreContext context;
    private final CompletionQueue queue;
    private final Progress progress;

    /** The newest unexpected message that a testContext of this context was woken for. */
    private final AtomicLong announced = new AtomicLong();

    Tester(CoreBmi owner, CoreContext context, CompletionQueue queue) {
        this.owner = owner;
        this.context = context;
        this.queue = queue;
        this.progress = owner.progress();
    }

    int test(long id, Completions out, long idleMs) {
        out.clear();
        CoreOperation operation = owner.table().find(id);
        if (operation == null || operation.context != context) {
            return ErrorCode.EINVAL.negativeValue();
        }
        int taken = queue.take(operation, id, 0, out);
        if (taken == 0) {
            progress.pollOnce(idleMs == 0);
            taken = queue.take(operation, id, 0, out);
            if (taken == 0 && idleMs > 0) {
                taken = block(operation, id, out, idleMs);
            }
        }
        return taken < 0 ? ErrorCode.EINVAL.negativeValue() : taken;
    }

    private int block(CoreOperation operation, long id, Completions out, long idleMs) {
        long deadlineNs = System.nanoTime() + CoreOperation.nanos(idleMs);
        Waiter waiter = owner.waiters().take();
        queue.beginClaims();
        try {
            int taken = queue.claim(operation, id, 0, waiter, out);
            if (taken != 0) {
                return taken;
            }
            boolean waited = false;
            try {
                awaitClaimed(waiter, deadlineNs);
                waited = true;
            } finally {
                if (!waited) {
                    queue.unclaim(operation, id, 0, waiter, null);
                }
            }
            return queue.unclaim(operation, id, 0, waiter, out);
        } finally {
            queue.endClaims();
            owner.waiters().give(waiter);
        }
    }

    /**
     * Waits with claims made. Closing wakes those that it finds with a claim; who claims after that
     * sees here that it is over.
     */
    private void awaitClaimed(Waiter waiter, long deadlineNs) {
        if (!owner.isClosed() && !queue.isClosed()) {
            progress.await(waiter, deadlineNs);
        }
    }

    int testSome(long[] ids, int count, Completions out, long idleMs) {
        out.clear();
        if (out.capacity() == 0 || count == 0) {
            return 0;
        }
        collect(ids, count, out);
        if (out.count() == 0) {
            progress.pollOnce(idleMs == 0);
            collect(ids, count, out);
            if (out.count() == 0 && idleMs > 0) {
                blockSome(ids, count, out, idleMs);
            }
        }
        return out.count();
    }

    private void collect(long[] ids, int count, Completions out) {
        for (int i = 0; i < count && out.count() < out.capacity(); i++) {
            CoreOperation operation = find(ids[i]);
            if (operation != null) {
                queue.take(operation, ids[i], i, out);
            }
        }
    }

    private void blockSome(long[] ids, int count, Completions out, long idleMs) {
        long deadlineNs = System.nanoTime() + CoreOperation.nanos(idleMs);
        Waiter waiter = owner.waiters().take();
        queue.beginClaims();
        try {
            long[] own = waiter.keep(ids, count); // the caller's array may change meanwhile
            boolean again = true;
            while (again) {
                again = blockRound(own, count, waiter, deadlineNs, out);
            }
        } finally {
            queue.endClaims();
            owner.waiters().give(waiter);
        }
    }

    /**
     * Claims, waits, and takes what is done then.
     *
     * @return whether to go on: the time is not over, and what ended the wait went to another
     *     caller
     */
    private boolean blockRound(
            long[] ids, int count, Waiter waiter, long deadlineNs, Completions out) {
        waiter.rearm();
        int claimed = 0;
        boolean anyPending = false;
        boolean waited = false;
        try {
            while (claimed < count && out.count() == 0) {
                CoreOperation operation = find(ids[claimed]);
                anyPending |=
                        operation != null
                                && queue.claim(operation, ids[claimed], claimed, waiter, out) == 0;
                claimed++;
            }
            if (anyPending && out.count() == 0) {
                awaitClaimed(waiter, deadlineNs);
            }
            waited = true;
        } finally {
            for (int i = 0; i < claimed; i++) {
                CoreOperation operation = find(ids[i]);
                if (operation != null) {
                    queue.unclaim(operation, ids[i], i, waiter, waited ? out : null);
                }
            }
        }
        return anyPending && out.count() == 0 && !isEnded(deadlineNs);
    }

    private @Nullable CoreOperation find(long id) {
        CoreOperation operation = owner.table().find(id);
        return operation != null && operation.context == context ? operation : null;
    }

    int testContext(Completions out, long idleMs) {
        out.clear();
        if (out.capacity() == 0) {
            return 0;
        }
        int count = queue.drain(out);
        if (count == 0) {
            progress.pollOnce(idleMs == 0);
            count = queue.drain(out);
            if (count == 0 && idleMs > 0) {
                count = blockContext(out, idleMs);
            }
        }
        return count;
    }

    private int blockContext(Completions out, long idleMs) {
        long deadlineNs = System.nanoTime() + CoreOperation.nanos(idleMs);
        Waiter waiter = owner.waiters().take();
        try {
            while (true) {
                boolean over = queue.enter(waiter) && awaitEntered(waiter, deadlineNs);
                int count = queue.drain(out);
                if (count > 0 || over || isEnded(deadlineNs) || hasNews()) {
                    return count;
                }
            }
        } finally {
            owner.waiters().give(waiter);
        }
    }

    /** Waits unless there is a reason to return already; says whether there was. */
    private boolean awaitEntered(Waiter waiter, long deadlineNs) {
        boolean looks = false;
        try {
            boolean over = isEnded(deadlineNs) || hasNews();
            if (!over) {
                progress.await(waiter, deadlineNs);
            }
            looks = true;
            return over;
        } finally {
            queue.leave(waiter, looks);
        }
    }

    private boolean isEnded(long deadlineNs) {
        return owner.isClosing()
                || queue.isClosed()
                || Thread.currentThread().isInterrupted()
                || deadlineNs - System.nanoTime() <= 0;
    }

    /**
     * Whether an unexpected message waits that this context was not woken for yet; says so to one
     * caller only.
     */
    private boolean hasNews() {
        UnexpectedStore store = owner.store();
        if (!owner.checkUnexpected() || store.waiting() == 0) {
            return false;
        }
        long newest = store.lastArrival();
        return announced.getAndAccumulate(newest, Math::max) < newest;
    }

    long await(long postResult, long timeoutMs) {
        if (PostResult.isCompleted(postResult)) {
            return postResult;
        }
        if (PostResult.isRefused(postResult)) {
            throw new BmiException(
                    PostResult.refusal(postResult),
                    "The post was refused: " + ErrorCode.statusString(postResult) + ".");
        }
        Completions out = Completions.ofCapacity(1);
        int taken = test(postResult, out, timeoutMs);
        if (taken < 0) {
            throw CoreContext.unknownId(postResult);
        }
        if (taken == 0) {
            throw new BmiException(
                    ErrorCode.EAGAIN, "The operation is still pending after " + timeoutMs + " ms.");
        }
        int error = out.error(0);
        if (error != 0) {
            ErrorCode code = ErrorCode.of(error);
            throw new BmiException(
                    code == null ? ErrorCode.EIO : code,
                    "The operation failed: " + ErrorCode.statusString(error) + ".");
        }
        return out.sizeBytes(0);
    }
}
