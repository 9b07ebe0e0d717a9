package org.jbmi.core.unexpected;

import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jspecify.annotations.Nullable;

/** The test calls for unexpected messages. */
public final class UnexpectedTests {
    private final UnexpectedStore store;
    private final Progress progress;
    private final WaiterPool waiters;

    public UnexpectedTests(UnexpectedStore store, Progress progress, WaiterPool waiters) {
        this.store = store;
        this.progress = progress;
        this.waiters = waiters;
    }

    /** The test call without a filter: for messages of a class that no listener takes. */
    public int test(int messageClass, UnexpectedMessages room, long idleMs) {
        return test(store.classQueue(messageClass), room, idleMs, null);
    }

    /** Opens a listener, which takes over the queued messages that its filter accepts. */
    public UnexpectedListener openListener(UnexpectedFilter filter) {
        CoreListener listener = new CoreListener(this, filter);
        store.openListener(listener);
        return listener;
    }

    void closeListener(CoreListener listener) {
        store.closeListener(listener);
    }

    int test(
            UnexpectedQueue queue,
            UnexpectedMessages room,
            long idleMs,
            @Nullable CoreListener listener) {
        progress.checkOpen();
        Progress.checkIdle(idleMs);
        UnexpectedSlots out = (UnexpectedSlots) room;
        out.clear();
        if (out.capacity() == 0) {
            return 0;
        }
        int count = store.drain(queue, out);
        if (count > 0) {
            return count;
        }
        poll(queue, out, idleMs == 0);
        store.drain(queue, out);
        count = out.count();
        if (count > 0 || idleMs == 0) {
            return count;
        }
        return block(queue, out, idleMs, listener);
    }

    private void poll(UnexpectedQueue queue, UnexpectedSlots out, boolean noIdleTime) {
        boolean isDone = false;
        store.beginPoll(queue, out);
        try {
            progress.pollOnce(noIdleTime);
            isDone = true;
        } finally {
            store.endPoll(out, isDone);
        }
    }

    private int block(
            UnexpectedQueue queue,
            UnexpectedSlots out,
            long idleMs,
            @Nullable CoreListener listener) {
        long deadlineNs = System.nanoTime() + Progress.nanos(idleMs);
        Waiter waiter = waiters.take();
        try {
            while (true) {
                if (store.enter(queue, waiter)) {
                    boolean looks = false;
                    try {
                        if (!isOver(deadlineNs, listener)) {
                            progress.await(waiter, deadlineNs);
                        }
                        looks = true;
                    } finally {
                        store.leave(queue, waiter, looks);
                    }
                }
                int count = store.drain(queue, out);
                if (count > 0 || isOver(deadlineNs, listener)) {
                    return count;
                }
            }
        } finally {
            waiters.give(waiter);
        }
    }

    private boolean isOver(long deadlineNs, @Nullable CoreListener listener) {
        return progress.isClosing()
                || (listener != null && listener.isClosed())
                || Thread.currentThread().isInterrupted()
                || deadlineNs - System.nanoTime() <= 0;
    }
}
