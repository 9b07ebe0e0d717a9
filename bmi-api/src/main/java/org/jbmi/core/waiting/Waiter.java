package org.jbmi.core.waiting;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread blocked in a test call. Whoever has an event for it sets {@code signalled} first and
 * wakes it then; the thread looks at {@code signalled} after it has announced its sleep, so no
 * signal is lost.
 */
public final class Waiter {
    private volatile boolean signalled;
    private volatile @Nullable Thread thread;

    /** Links of the one queue it stands in, guarded by that queue's lock. */
    @Nullable Waiter next;

    boolean queued;

    /** Room for the ids of a call that waits for some of several operations. */
    private long[] kept = new long[0];

    /** Starts a new wait of the calling thread. */
    void begin() {
        signalled = false;
        thread = Thread.currentThread();
    }

    /** Ends the wait; a late signal finds nobody. */
    void end() {
        thread = null;
    }

    public boolean isSignalled() {
        return signalled;
    }

    /** Looks for the next event after a signal that others have used up. */
    public void rearm() {
        signalled = false;
    }

    /** A copy of ids, in an array that this waiter keeps. */
    public long[] keep(long[] ids, int count) {
        if (kept.length < count) {
            kept = new long[count];
        }
        System.arraycopy(ids, 0, kept, 0, count);
        return kept;
    }

    /** Says that there is an event; called under the lock of the queue that it stands in. */
    public void mark() {
        signalled = true;
    }

    /**
     * Wakes who was marked. Best called without a lock, since who wakes up wants it next: by then
     * the waiter may be another caller's, which looks again and goes on waiting.
     */
    @SuppressWarnings("ReferenceEquality") // the very thread
    public void wake(Progress progress) {
        Thread sleeper = thread;
        if (sleeper != null
                && sleeper != Thread.currentThread() // which is awake
                && !progress.wakeIfLeading(this)) {
            LockSupport.unpark(sleeper);
        }
    }

    public void signal(Progress progress) {
        mark();
        wake(progress);
    }
}
