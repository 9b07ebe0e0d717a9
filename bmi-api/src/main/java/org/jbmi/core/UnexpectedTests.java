package org.jbmi.core;

import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

/** The test calls for unexpected messages. */
final class UnexpectedTests {
    private final CoreBmi owner;
    private final UnexpectedStore store;
    private final Progress progress;

    UnexpectedTests(CoreBmi owner, UnexpectedStore store, Progress progress) {
        this.owner = owner;
        this.store = store;
        this.progress = progress;
    }

    int test(
            UnexpectedQueue queue,
            UnexpectedMessages room,
            long idleMs,
            @Nullable CoreListener listener) {
        owner.checkOpen();
        CoreBmi.checkIdle(idleMs);
        UnexpectedSlots out = (UnexpectedSlots) room;
        out.clear();
        if (out.capacity() == 0) {
            return 0;
        }
        int count = store.drain(queue, out);
        if (count > 0) {
            return count;
        }
        progress.pollOnce(idleMs == 0);
        count = store.drain(queue, out);
        if (count > 0 || idleMs == 0) {
            return count;
        }
        return block(queue, out, idleMs, listener);
    }

    private int block(
            UnexpectedQueue queue,
            UnexpectedSlots out,
            long idleMs,
            @Nullable CoreListener listener) {
        long deadlineNs = System.nanoTime() + CoreOperation.nanos(idleMs);
        Waiter waiter = owner.waiters().take();
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
            owner.waiters().give(waiter);
        }
    }

    private boolean isOver(long deadlineNs, @Nullable CoreListener listener) {
        return owner.isClosing()
                || (listener != null && listener.isClosed())
                || Thread.currentThread().isInterrupted()
                || deadlineNs - System.nanoTime() <= 0;
    }
}
