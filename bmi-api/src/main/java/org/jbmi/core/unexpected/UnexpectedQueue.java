package org.jbmi.core.unexpected;

import org.jbmi.UnexpectedMessages;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.core.waiting.WaiterQueue;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one class or one listener, and the test calls for them. Guarded by the store's lock,
 * which those calls take themselves.
 */
public final class UnexpectedQueue {
    /** The callers that are blocked. */
    final WaiterQueue waiters = new WaiterQueue();

    private final UnexpectedStore store;
    private final Progress progress;
    private final WaiterPool pool;
    private final IntrusiveQueue<UnexpectedBuffer> messages = new IntrusiveQueue<>();

    /** Messages on their way into this queue. */
    private final IntrusiveQueue<UnexpectedBuffer> staged = new IntrusiveQueue<>();

    /** Whether the listener is closed; a class stays. */
    private volatile boolean closed;

    UnexpectedQueue(UnexpectedStore store, Progress progress, WaiterPool pool) {
        this.store = store;
        this.progress = progress;
        this.pool = pool;
    }

    /** Ends the test calls that wait, once they are woken. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    void add(UnexpectedBuffer buffer) {
        messages.addLast(buffer);
    }

    @Nullable UnexpectedBuffer poll() {
        return messages.poll();
    }

    /** Stages a message, in the order of arrival; {@link #mergeStaged} adds it to the queue. */
    void stage(UnexpectedBuffer buffer) {
        staged.addLast(buffer);
    }

    /** Stages a message that is older than all that are staged. */
    void stageFirst(UnexpectedBuffer buffer) {
        staged.addFirst(buffer);
    }

    /**
     * Merges the staged messages into the queue by their order of arrival, since a listener that
     * closes gives its messages back.
     */
    boolean mergeStaged() {
        if (staged.isEmpty()) {
            return false;
        }
        for (int here = messages.size(); here > 0 || !staged.isEmpty(); ) {
            UnexpectedBuffer a = here > 0 ? messages.first() : null;
            UnexpectedBuffer b = staged.first();
            boolean isStaged = a == null || (b != null && b.arrival < a.arrival);
            UnexpectedBuffer next = isStaged ? staged.poll() : messages.poll();
            here -= isStaged ? 0 : 1;
            if (next != null) {
                messages.addLast(next); // behind those that have not been looked at
            }
        }
        return true;
    }

    public int test(UnexpectedMessages room, long idleMs) {
        progress.checkOpen();
        Progress.checkIdle(idleMs);
        UnexpectedSlots out = (UnexpectedSlots) room;
        out.clear();
        if (out.capacity() == 0) {
            return 0;
        }
        int count = store.drain(this, out);
        if (count > 0) {
            return count;
        }
        poll(out, idleMs == 0);
        store.drain(this, out);
        count = out.count();
        if (count > 0 || idleMs == 0) {
            return count;
        }
        return block(out, idleMs);
    }

    private void poll(UnexpectedSlots out, boolean noIdleTime) {
        boolean isDone = false;
        store.beginPoll(this, out);
        try {
            progress.pollOnce(noIdleTime);
            isDone = true;
        } finally {
            store.endPoll(out, isDone);
        }
    }

    private int block(UnexpectedSlots out, long idleMs) {
        long deadlineNs = System.nanoTime() + Progress.nanos(idleMs);
        Waiter waiter = pool.take();
        try {
            while (true) {
                if (enter(waiter)) {
                    boolean looks = false;
                    try {
                        if (!isOver(deadlineNs)) {
                            progress.await(waiter, deadlineNs);
                        }
                        looks = true;
                    } finally {
                        leave(waiter, looks);
                    }
                }
                int count = store.drain(this, out);
                if (count > 0 || isOver(deadlineNs)) {
                    return count;
                }
            }
        } finally {
            pool.give(waiter);
        }
    }

    private boolean isOver(long deadlineNs) {
        return progress.isClosing()
                || closed
                || Thread.currentThread().isInterrupted()
                || deadlineNs - System.nanoTime() <= 0;
    }

    /** Adds a caller that is about to block; false if a message is there already. */
    private boolean enter(Waiter waiter) {
        store.lock.lock();
        try {
            if (!isEmpty()) {
                return false;
            }
            waiter.rearm();
            waiters.add(waiter);
            return true;
        } finally {
            store.lock.unlock();
        }
    }

    /**
     * Removes a caller.
     *
     * @param looks whether it will poll the queue; if not, another caller is woken in its place
     */
    private void leave(Waiter waiter, boolean looks) {
        store.lock.lock();
        try {
            waiters.remove(waiter);
            if (!looks && waiter.isSignalled()) {
                waiters.signalOne(progress);
            }
        } finally {
            store.lock.unlock();
        }
    }
}
