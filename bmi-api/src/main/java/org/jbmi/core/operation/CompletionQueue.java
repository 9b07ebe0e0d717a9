package org.jbmi.core.operation;

import org.jbmi.ErrorCode;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterQueue;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The completions of one context and the callers blocked on them. One lock guards both, and the
 * context's free operations, so a completion is reported once and a report takes one lock. A
 * completion that a caller waits for by id goes to that caller. It enters the queue only if that
 * caller has no room for it, or fails.
 *
 * <p>A completion, a {@link #drain} and a {@link #nudge} each wake one caller after the lock is
 * released. All other wakes are made under the lock.
 *
 * <p>The queue is a node of the lead's round, for {@link OperationRounds}.
 */
public final class CompletionQueue extends LinkedNode {
    final Progress progress;
    final CoreEvents events;
    private final SpinLock lock = new SpinLock();
    private final OperationStock stock;
    private final WaiterQueue waiters = new WaiterQueue();
    private final IntrusiveList<CoreOperation> done = new IntrusiveList<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Callers between {@link #enter} and {@link #leave}; written under the lock, and checked
     * without it too.
     */
    private volatile int blocked;

    /** What the lead completed in its round, oldest first; only the lead uses it. */
    private final IntrusiveQueue<CoreOperation> round = new IntrusiveQueue<>();

    public CompletionQueue(
            OperationTable table, DeadlineQueue deadlines, Progress progress, CoreEvents events) {
        this.stock = new OperationStock(table, deadlines, lock);
        this.progress = progress;
        this.events = events;
    }

    /** The free operations of the context, guarded by the same lock as everything here. */
    OperationStock stock() {
        return stock;
    }

    /** A method completes an operation. */
    void complete(CoreOperation operation, int error, long bytes) {
        recorded(operation, error, bytes);
        Waiter woken;
        operation.ends(error, bytes);
        lock.lock();
        try {
            woken = handOver(operation);
        } finally {
            unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
    }

    /**
     * A method completes an operation in the lead's round. {@link #endRound} reports it, and {@link
     * #recorded} must be called to record it.
     *
     * @return whether it is the first of this round
     */
    boolean completeInRound(CoreOperation operation, int error, long bytes) {
        operation.ends(error, bytes);
        boolean isFirst = round.isEmpty();
        round.addLast(operation);
        return isFirst;
    }

    /** Records a completion in the flight recorder. Never fails: a method may have more to do. */
    void recorded(CoreOperation operation, int error, long bytes) {
        try {
            events.completed(operation, operation.peer, error, bytes);
        } catch (RuntimeException | Error e) {
            // The record is lost.
        }
    }

    boolean hasRound() {
        return !round.isEmpty();
    }

    /** Reports what the lead completed in its round, under one lock. */
    void endRound() {
        Waiter woken = null;
        lock.lock();
        try {
            for (CoreOperation first = round.poll(); first != null; first = round.poll()) {
                Waiter next = handOver(first);
                if (woken != null && next != null) {
                    woken.wake(progress);
                }
                woken = next == null ? woken : next;
            }
        } finally {
            unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
    }

    /**
     * Marks the caller that waits for a completed operation, or queues the operation.
     *
     * @return the caller to wake; null if there is none
     */
    private @Nullable Waiter handOver(CoreOperation operation) {
        operation.state = CoreOperation.DONE;
        Waiter claimant = operation.claimant;
        if (claimant != null) {
            claimant.mark();
            if (operation.moreClaimants != null) {
                signalClaimants(operation);
            }
            return claimant;
        }
        if (closed) {
            stock.free(operation);
            return null;
        }
        done.addLast(operation);
        return waiters.markOne();
    }

    /**
     * Reports one operation if it is done.
     *
     * @return 1 if it was reported, 0 if it is pending, -1 if no operation of this context has the
     *     id
     */
    int take(CoreOperation operation, long id, int index, CompletionSlots out) {
        if (operation.state != CoreOperation.DONE && operation.id() == id) {
            return 0; // a completion that runs now is found by the next call
        }
        lock.lock();
        try {
            return takeLocked(operation, id, index, out);
        } finally {
            unlock();
        }
    }

    private int takeLocked(CoreOperation operation, long id, int index, CompletionSlots out) {
        if (operation.id() != id) {
            return -1;
        }
        if (operation.state != CoreOperation.DONE) {
            return 0;
        }
        report(operation, id, index, out);
        return 1;
    }

    /** Whether an operation is completed and not yet reported. */
    boolean isDone(CoreOperation operation, long id) {
        lock.lock();
        boolean isDone = operation.state == CoreOperation.DONE && operation.id() == id;
        lock.unlock();
        return isDone;
    }

    /** Registers the caller as the one to be woken, if the operation is still pending. */
    int claim(CoreOperation operation, long id, int index, Waiter waiter, CompletionSlots out) {
        lock.lock();
        try {
            int taken = takeLocked(operation, id, index, out);
            if (taken == 0 && operation.claimant == null) {
                operation.claimant = waiter;
            } else if (taken == 0) {
                moreClaimants(operation).add(waiter);
            }
            return taken;
        } finally {
            unlock();
        }
    }

    /**
     * Withdraws the caller. A completed operation is reported if there is room, else queued.
     *
     * @param out null for a caller that fails and reports nothing
     * @return as {@link #take}
     */
    int unclaim(
            CoreOperation operation,
            long id,
            int index,
            Waiter waiter,
            @Nullable CompletionSlots out) {
        lock.lock();
        try {
            return operation.id() == id ? unclaimLocked(operation, index, waiter, out) : -1;
        } finally {
            unlock();
        }
    }

    private int unclaimLocked(
            CoreOperation operation, int index, Waiter waiter, @Nullable CompletionSlots out) {
        removeClaim(operation, waiter);
        if (operation.state != CoreOperation.DONE) {
            return 0;
        }
        if (out != null && !out.isFull()) {
            report(operation, operation.id(), index, out);
            return 1;
        }
        if (operation.claimant == null) {
            unclaimed(operation);
        }
        return 0;
    }

    private void unclaimed(CoreOperation operation) {
        if (closed) {
            stock.free(operation);
        } else {
            done.addLast(operation);
            waiters.signalOne(progress);
        }
    }

    /**
     * Takes back an operation whose post completed at once. A caller that guessed its id and waits
     * for it is told that the id is unknown.
     */
    void retract(CoreOperation operation) {
        lock.lock();
        try {
            if (operation.claimant != null) {
                operation.endIdentity();
                signalClaimants(operation);
            }
            stock.free(operation);
        } finally {
            unlock();
        }
    }

    /** Reports queued completions while there is room. */
    int drain(CompletionSlots out) {
        if (done.isEmpty()) {
            return 0; // a completion that runs now is found by the next call
        }
        int before = out.count();
        Waiter woken;
        lock.lock();
        try {
            CoreOperation first = done.first();
            while (first != null && !out.isFull()) {
                report(first, first.id(), 0, out);
                first = done.first();
            }
            woken = first == null ? null : waiters.markOne();
        } finally {
            unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
        return out.count() - before;
    }

    /** Adds a caller that is about to block; false if a completion is there already. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    boolean enter(Waiter waiter) {
        lock.lock();
        try {
            if (!done.isEmpty() || closed) {
                return false;
            }
            waiter.rearm();
            waiters.add(waiter);
            blocked++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a caller.
     *
     * @param looks whether it will poll the queue; if not, another caller is woken in its place
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    void leave(Waiter waiter, boolean looks) {
        lock.lock();
        try {
            waiters.remove(waiter);
            blocked--;
            if (!looks && waiter.isSignalled()) {
                waiters.signalOne(progress);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes one blocked caller because an unexpected message arrived. */
    public void nudge() {
        if (blocked == 0) {
            return; // a caller that enters now polls for messages itself
        }
        Waiter woken;
        lock.lock();
        try {
            woken = waiters.markOne();
        } finally {
            lock.unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
    }

    public void signalAll() {
        lock.lock();
        try {
            waiters.signalAll(progress);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the callers blocked on an operation that will never complete. */
    void abandon(CoreOperation operation) {
        lock.lock();
        try {
            // Another context may have it by now.
            if (operation.queue == this && operation.claimant != null) {
                signalClaimants(operation);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Marks the context as closing: a later post cancels its own operation.
     *
     * @return false if it was marked before
     */
    public boolean beginClose() {
        return ending.compareAndSet(false, true);
    }

    public boolean isEnding() {
        return ending.get();
    }

    /** Drops all completions, from now on and those in the queue. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            for (CoreOperation each = done.poll(); each != null; each = done.poll()) {
                stock.free(each);
            }
            waiters.signalAll(progress);
        } finally {
            lock.unlock();
        }
        stock.close();
    }

    boolean isClosed() {
        return closed;
    }

    private void report(CoreOperation operation, long id, int index, CompletionSlots out) {
        done.remove(operation); // if it stands there
        out.add(
                id,
                ErrorCode.ofOutcome(operation.error),
                operation.doneBytes,
                operation.userData,
                index);
        if (operation.claimant != null) {
            signalClaimants(operation);
        }
        stock.free(operation);
    }

    /** Releases the lock, and returns surplus free operations to the table. */
    private void unlock() {
        boolean tooMany = stock.hasTooMany();
        lock.unlock();
        if (tooMany) {
            stock.giveBack();
        }
    }

    private void signalClaimants(CoreOperation operation) {
        Waiter first = operation.claimant;
        if (first != null) {
            first.signal(progress);
        }
        List<Waiter> more = operation.moreClaimants;
        if (more != null) {
            for (Waiter waiter : more) {
                waiter.signal(progress);
            }
        }
    }

    private static List<Waiter> moreClaimants(CoreOperation operation) {
        List<Waiter> more = operation.moreClaimants;
        if (more == null) {
            more = new ArrayList<>(2);
            operation.moreClaimants = more;
        }
        return more;
    }

    private static void removeClaim(CoreOperation operation, Waiter waiter) {
        List<Waiter> more = operation.moreClaimants;
        if (operation.claimant != waiter) {
            if (more != null) {
                more.remove(waiter);
            }
        } else {
            operation.claimant = more == null || more.isEmpty() ? null : more.removeLast();
        }
    }
}
