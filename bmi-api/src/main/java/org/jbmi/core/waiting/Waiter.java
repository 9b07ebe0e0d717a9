package org.jbmi.core.waiting;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread blocked in a test call. A signaller sets {@code signalled} first and wakes the thread
 * then; the thread reads {@code signalled} after it has announced its sleep. So no signal is lost.
 * The lock of the queue that it is in guards its links, and that of the followers those of {@link
 * #follower}.
 */
public final class Waiter extends LinkedNode {
    /** Its thread among those that wait until the lead leaves. */
    final class Follower extends LinkedNode {
        private Follower() {}

        @Nullable Thread thread() {
            return thread;
        }
    }

    /** An array for more ids is not kept for the next wait. */
    private static final int MOST_KEPT = 256;

    private static final long[] NO_IDS = new long[0];

    final Follower follower = new Follower();
    private volatile boolean signalled;
    private volatile @Nullable Thread thread;

    /** An array for the ids of a call that waits for several operations. */
    private long[] kept = NO_IDS;

    /** Starts a new wait of the calling thread. */
    void begin() {
        signalled = false;
        thread = Thread.currentThread();
    }

    /** Ends the wait; a late signal has no effect. */
    void end() {
        thread = null;
        if (kept.length > MOST_KEPT) {
            kept = NO_IDS;
        }
    }

    public boolean isSignalled() {
        return signalled;
    }

    /** Waits for a further signal, after other threads took the event of the last one. */
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

    /** Sets the signal; called under the lock of the queue that it is in. */
    public void mark() {
        signalled = true;
    }

    /**
     * Wakes the thread that was marked. Best called without a lock, since the thread takes it next.
     * By then the waiter may belong to another caller, which checks its signal and waits on.
     */
    @SuppressWarnings("ReferenceEquality") // the very thread
    public void wake(Progress progress) {
        Thread sleeper = thread;
        if (sleeper != null && sleeper != Thread.currentThread() && !progress.wakeIfLeading(this)) {
            LockSupport.unpark(sleeper);
        }
    }

    public void signal(Progress progress) {
        mark();
        wake(progress);
    }
}
