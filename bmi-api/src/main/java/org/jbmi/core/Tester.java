package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

/** The test calls of one context. */
final class Tester {
    private final CoreBmi owner;
    private final CoreContext context;
    private final CompletionQueue queue;
    private final Progress progress;

    /** The newest unexpected message that a testContext of this context was woken for. */
    private volatile long announced;

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
        try {
            int taken = queue.claim(operation, id, 0, waiter, out);
            if (taken == 0) {
                progress.await(waiter, deadlineNs);
                taken = queue.unclaim(operation, id, 0, waiter, out);
            }
            return taken;
        } finally {
            owner.waiters().give(waiter);
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
                blockSome(ids.clone(), count, out, idleMs);
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
        int claimed = 0;
        try {
            while (claimed < count && out.count() == 0) {
                CoreOperation operation = find(ids[claimed]);
                if (operation != null) {
                    queue.claim(operation, ids[claimed], claimed, waiter, out);
                }
                claimed++;
            }
            if (out.count() == 0) {
                progress.await(waiter, deadlineNs);
            }
        } finally {
            for (int i = 0; i < claimed; i++) {
                CoreOperation operation = find(ids[i]);
                if (operation != null) {
                    queue.unclaim(operation, ids[i], i, waiter, out);
                }
            }
            owner.waiters().give(waiter);
        }
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
                boolean over = false;
                if (queue.enter(waiter)) {
                    over = isOver(deadlineNs);
                    if (!over) {
                        progress.await(waiter, deadlineNs);
                    }
                    queue.leave(waiter);
                }
                int count = queue.drain(out);
                if (count > 0 || over || isOver(deadlineNs)) {
                    return count;
                }
            }
        } finally {
            owner.waiters().give(waiter);
        }
    }

    private boolean isOver(long deadlineNs) {
        return owner.isClosing()
                || queue.isClosed()
                || Thread.currentThread().isInterrupted()
                || hasNews()
                || deadlineNs - System.nanoTime() <= 0;
    }

    /**
     * Whether an unexpected message waits that this context was not woken for yet; says so only
     * once.
     */
    private boolean hasNews() {
        UnexpectedStore store = owner.store();
        if (!owner.checkUnexpected() || store.waiting() == 0) {
            return false;
        }
        long newest = store.lastArrival();
        if (newest <= announced) {
            return false;
        }
        announced = newest;
        return true;
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
        ErrorCode code = ErrorCode.of(out.error(0));
        if (code != null) {
            throw new BmiException(
                    code, "The operation failed: " + ErrorCode.statusString(out.error(0)) + ".");
        }
        return out.sizeBytes(0);
    }
}
