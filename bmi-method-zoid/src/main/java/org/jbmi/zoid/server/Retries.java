package org.jbmi.zoid.server;

import org.jbmi.observe.Counter;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Retries operations that found no memory after a block was freed. A thread that frees a block only
 * sets a flag. A round of progress serves the operations, one thread at a time. This thread holds
 * no lock while it copies or sends. The lock of the half guards the queue.
 */
final class Retries {
    private final SessionGuard guard;
    private final NoMemoryQueue<ServerOperation> queue = new NoMemoryQueue<>();
    private final Placement placement;
    private final Consumer<ServerOperation> launcher;
    private final Counter waits;
    private final DeferredSlots<ServerOperation> deferred;
    private final Runnable waker;
    private final AtomicBoolean isServing = new AtomicBoolean();
    private volatile boolean idle = true;

    /**
     * None so far.
     *
     * @param launcher posts an operation that has its memory now, without waiting for the reply
     * @param deferred shows that an operation is to be retried
     * @param waker wakes a thread that makes progress
     */
    Retries(
            SessionGuard guard,
            Placement placement,
            Consumer<ServerOperation> launcher,
            ServerCounters counters,
            DeferredSlots<ServerOperation> deferred,
            Runnable waker) {
        this.guard = guard;
        this.placement = placement;
        this.launcher = launcher;
        this.waits = counters.noMemoryWaits;
        this.deferred = deferred;
        this.waker = waker;
    }

    // Not the address: a client gets a new one after the program has given its last reference back.
    private static NoMemoryQueue.Key keyOf(ServerOperation slot) {
        var operation = slot.operation();
        ZoidAddress to = (ZoidAddress) operation.address();
        long life = Message.pack(to.session(), to.generation());
        boolean send = operation.kind() == OperationKind.SEND;
        return new NoMemoryQueue.Key(life, operation.tag(), send);
    }

    /** Whether an operation must wait in the queue before its first try. */
    boolean mustWait(ServerOperation slot, long needBytes) {
        if (idle) {
            return false;
        }
        guard.lock();
        try {
            return !queue.isIdle() && (needBytes > 0 || queue.holds(keyOf(slot)));
        } finally {
            guard.unlock();
        }
    }

    /** Queues an operation that {@link Placement#prepare} has checked. */
    void add(ServerOperation slot, long needBytes) {
        waits.increment();
        guard.lock();
        try {
            slot.entry = queue.add(keyOf(slot), slot, needBytes);
            idle = false;
            slot.state = ServerOperation.QUEUED;
            slot.inPost = false;
            slot.needBytes = needBytes;
        } finally {
            guard.unlock();
        }
    }

    /**
     * Removes an operation for a cancel. The caller holds the lock.
     *
     * @return false if it is not in the queue
     */
    boolean remove(ServerOperation slot) {
        NoMemoryQueue.Entry<ServerOperation> entry = slot.entry;
        slot.entry = null;
        boolean removed = entry != null && queue.remove(entry);
        idle = queue.isIdle();
        return removed;
    }

    /** Whether no operation waits. */
    boolean isIdle() {
        return idle;
    }

    /** To be called after a block was freed or an operation was queued; returns at once. */
    void memoryFreed() {
        if (!idle && !deferred.isRetryWanted()) {
            deferred.wantRetry(true);
            waker.run();
        }
    }

    /**
     * Serves every operation that can be served; with no lock held. An error is thrown to the
     * caller; the next thread, which is woken, retries the other operations.
     */
    int serve() {
        int served = 0;
        while (deferred.isRetryWanted() && isServing.compareAndSet(false, true)) {
            boolean isDone = false;
            try {
                deferred.wantRetry(false);
                served += pass();
                isDone = true;
            } finally {
                isServing.set(false);
                if (!isDone) {
                    deferred.wantRetry(true);
                    waker.run();
                }
            }
        }
        return served;
    }

    private int pass() {
        int served = 0;
        NoMemoryQueue.Entry<ServerOperation> candidate = next(null);
        while (candidate != null) {
            ServerOperation slot = candidate.operation();
            Outcome outcome = tryOne(candidate, slot);
            if (outcome == Outcome.SERVED) {
                try {
                    launcher.accept(slot);
                    served++;
                } finally {
                    sent(candidate);
                }
            }
            candidate = next(outcome == Outcome.NO_MEMORY ? candidate : null);
        }
        return served;
    }

    private enum Outcome {
        SERVED,
        NO_MEMORY,
        CANCELLED
    }

    private Outcome tryOne(NoMemoryQueue.Entry<ServerOperation> candidate, ServerOperation slot) {
        guard.lock();
        try {
            if (slot.entry != candidate) {
                return Outcome.CANCELLED;
            }
            if (!placement.allocate(slot, slot.needBytes)) {
                return Outcome.NO_MEMORY;
            }
            queue.serve(candidate);
            slot.entry = null;
            slot.state = ServerOperation.POSTING;
            slot.inPost = true;
            return Outcome.SERVED;
        } finally {
            guard.unlock();
        }
    }

    private NoMemoryQueue.@Nullable Entry<ServerOperation> next(
            NoMemoryQueue.@Nullable Entry<ServerOperation> failed) {
        guard.lock();
        try {
            return failed == null ? queue.first() : queue.nextAfter(failed);
        } finally {
            guard.unlock();
        }
    }

    private void sent(NoMemoryQueue.Entry<ServerOperation> entry) {
        guard.lock();
        try {
            queue.sent(entry);
            idle = queue.isIdle();
        } finally {
            guard.unlock();
        }
    }
}
