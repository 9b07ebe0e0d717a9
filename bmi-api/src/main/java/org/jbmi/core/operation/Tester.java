package org.jbmi.core.operation;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;

/** The test calls of one context. */
public final class Tester {
    /** An entry of a caller's array that is no id. */
    private static final long NO_ID = 0;

    private final CompletionQueue queue;
    private final OperationTable table;
    private final UnexpectedStore unexpected;
    private final Progress progress;
    private final WaiterPool waiters;

    /** The newest unexpected message that a testContext of this context returned for. */
    private final AtomicLong announced = new AtomicLong();

    public Tester(
            CompletionQueue queue,
            OperationTable table,
            UnexpectedStore unexpected,
            Progress progress,
            WaiterPool waiters) {
        this.queue = queue;
        this.table = table;
        this.unexpected = unexpected;
        this.progress = progress;
        this.waiters = waiters;
    }

    /**
     * Reports one operation if it has completed; an id of no operation here is reported as EINVAL.
     */
    public int test(long id, CompletionSlots out, long idleMs) {
        out.clear();
        CoreOperation operation = find(id);
        int taken = take(operation, id, 0, out);
        if (taken == 0) {
            progress.pollOnce(idleMs == 0);
            taken = take(operation, id, 0, out);
            if (taken == 0 && idleMs > 0 && operation != null) {
                taken = known(block(operation, id, out, idleMs), id, 0, out);
            }
        }
        return taken;
    }

    private int take(@Nullable CoreOperation operation, long id, int index, CompletionSlots out) {
        int taken = operation == null ? -1 : queue.take(operation, id, index, out);
        return known(taken, id, index, out);
    }

    /** Reports an id that the queue does not know, and returns the number of results. */
    private static int known(int taken, long id, int index, CompletionSlots out) {
        if (taken >= 0) {
            return taken;
        }
        out.addUnknown(id, index);
        return 1;
    }

    private int block(CoreOperation operation, long id, CompletionSlots out, long idleMs) {
        long deadlineNs = System.nanoTime() + Progress.nanos(idleMs);
        Waiter waiter = waiters.take();
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
            waiters.give(waiter);
        }
    }

    /**
     * Waits with claims registered. A close wakes the claims that it finds; a thread that claims
     * later sees here that the context is closed.
     */
    private void awaitClaimed(Waiter waiter, long deadlineNs) {
        if (!progress.isClosed() && !queue.isClosed()) {
            progress.await(waiter, deadlineNs);
        }
    }

    public int testSome(long[] ids, int count, CompletionSlots out, long idleMs) {
        out.clear();
        if (out.capacity() == 0 || count == 0) {
            return 0;
        }
        collect(ids, count, out);
        if (out.count() == 0) {
            progress.pollOnce(idleMs == 0);
            collect(ids, count, out);
            if (out.count() == 0 && idleMs > 0 && hasIds(ids, count)) {
                blockSome(ids, count, out, idleMs);
            }
        }
        return out.count();
    }

    private void collect(long[] ids, int count, CompletionSlots out) {
        for (int i = 0; i < count && !out.isFull(); i++) {
            if (ids[i] != NO_ID) {
                take(find(ids[i]), ids[i], i, out);
            }
        }
    }

    private static boolean hasIds(long[] ids, int count) {
        for (int i = 0; i < count; i++) {
            if (ids[i] != NO_ID) {
                return true;
            }
        }
        return false;
    }

    private void blockSome(long[] ids, int count, CompletionSlots out, long idleMs) {
        long deadlineNs = System.nanoTime() + Progress.nanos(idleMs);
        Waiter waiter = waiters.take();
        try {
            long[] own = waiter.keep(ids, count); // the caller may change its array meanwhile
            boolean again = true;
            while (again) {
                again = blockRound(own, count, waiter, deadlineNs, out);
            }
        } finally {
            waiters.give(waiter);
        }
    }

    /**
     * Claims the ids until one is found completed, else waits, then reports what completed.
     *
     * @return whether to go on: there is time left, and nothing was reported
     */
    private boolean blockRound(
            long[] ids, int count, Waiter waiter, long deadlineNs, CompletionSlots out) {
        waiter.rearm();
        int claimed = 0;
        boolean waited = false;
        try {
            while (claimed < count && claim(ids[claimed], claimed, waiter, out)) {
                claimed++;
            }
            if (claimed == count) {
                awaitClaimed(waiter, deadlineNs);
            }
            waited = true;
        } finally {
            for (int i = 0; i < claimed; i++) {
                unclaim(ids[i], i, waiter, waited ? out : null);
            }
        }
        return out.count() == 0 && !isEnded(deadlineNs);
    }

    /** Claims an operation that is pending; reports one that is completed or unknown. */
    private boolean claim(long id, int index, Waiter waiter, CompletionSlots out) {
        if (id == NO_ID) {
            return true;
        }
        CoreOperation operation = find(id);
        int taken = operation == null ? -1 : queue.claim(operation, id, index, waiter, out);
        return known(taken, id, index, out) == 0;
    }

    /** Withdraws a claim; an operation that another caller got meanwhile is unknown now. */
    private void unclaim(long id, int index, Waiter waiter, @Nullable CompletionSlots out) {
        if (id == NO_ID) {
            return;
        }
        CoreOperation operation = find(id);
        int taken = operation == null ? -1 : queue.unclaim(operation, id, index, waiter, out);
        if (out != null && !out.isFull()) {
            known(taken, id, index, out);
        }
    }

    private @Nullable CoreOperation find(long id) {
        CoreOperation operation = table.find(id);
        return operation != null && operation.queue == queue ? operation : null;
    }

    public int collect(CompletionSlots out) {
        out.clear();
        return out.capacity() == 0 ? 0 : queue.drain(out);
    }

    public int testContext(CompletionSlots out, long idleMs) {
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

    private int blockContext(CompletionSlots out, long idleMs) {
        long deadlineNs = System.nanoTime() + Progress.nanos(idleMs);
        Waiter waiter = waiters.take();
        try {
            while (true) {
                if (queue.enter(waiter)) {
                    awaitEntered(waiter, deadlineNs);
                }
                int count = queue.drain(out);
                if (count > 0 || isEnded(deadlineNs) || announces()) {
                    return count;
                }
            }
        } finally {
            waiters.give(waiter);
        }
    }

    /** Waits, unless there is a reason to return already. */
    private void awaitEntered(Waiter waiter, long deadlineNs) {
        boolean looks = false;
        try {
            if (!isEnded(deadlineNs) && unexpected.newestForContexts() <= announced.get()) {
                progress.await(waiter, deadlineNs);
            }
            looks = true;
        } finally {
            queue.leave(waiter, looks);
        }
    }

    private boolean isEnded(long deadlineNs) {
        return progress.isClosing()
                || queue.isClosed()
                || Thread.currentThread().isInterrupted()
                || deadlineNs - System.nanoTime() <= 0;
    }

    /**
     * Whether the caller returns for an unexpected message: one is queued for which this context
     * has not returned yet. True for one caller only.
     */
    private boolean announces() {
        long newest = unexpected.newestForContexts();
        return newest > 0 && announced.getAndAccumulate(newest, Math::max) < newest;
    }

    public long await(long postResult, long timeoutMs) {
        if (PostResult.isCompleted(postResult)) {
            return postResult;
        }
        if (PostResult.isRefused(postResult)) {
            throw new BmiException(
                    PostResult.refusal(postResult),
                    "The post was refused: " + PostResult.refusal(postResult) + ".");
        }
        // Noted for the message, since the operation is used again once it is reported.
        CoreOperation operation = find(postResult);
        OperationKind kind = operation == null ? null : operation.kind();
        CorePeer peer = operation == null ? null : operation.peer;
        int tag = operation == null ? 0 : operation.tag();
        CompletionSlots out = new CompletionSlots(1);
        if (test(postResult, out, timeoutMs) == 0) {
            throw new BmiException(
                    ErrorCode.EAGAIN,
                    "The operation is still pending: "
                            + timeoutMs
                            + " ms passed, or this thread was interrupted. Await or cancel it.");
        }
        ErrorCode outcome = out.outcome(0);
        if (!outcome.isSuccess()) {
            String which =
                    kind == null || peer == null
                            ? ""
                            : " (%s, peer %s, tag %d)"
                                    .formatted(CoreEvents.name(kind), peer.displayName(), tag);
            throw new BmiException(outcome, "The operation failed: " + outcome + which + ".");
        }
        return out.sizeBytes(0);
    }
}
