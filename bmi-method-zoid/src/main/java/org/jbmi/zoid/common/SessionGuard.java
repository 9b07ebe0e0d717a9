package org.jbmi.zoid.common;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.attach.Interrupts;

/**
 * The lock of a half as one session uses it, and the count of the threads inside calls of that
 * session. The session's memory is unmapped when no thread is inside. After {@link #shut} no thread
 * can enter.
 *
 * <p>The lock guards what the threads of the half share: the count, the slots, free messages,
 * counters. A thread holds it for some tens of nanoseconds. While a thread holds the lock, it does
 * not wait for room, wake another thread, sleep, log or call the core. It copies at most one
 * message of a lane.
 *
 * <p>A call takes the lock to enter and to fill a slot. After it has sent, it takes the lock again
 * to update the slot and leave. A short note that finds room takes the lock once for all of this.
 */
public final class SessionGuard {
    private static final long POLL_NS = 100_000;

    private final SpinLock lock;
    private int inside;
    private boolean shut;

    /**
     * Makes an open session without threads inside.
     *
     * @param lock of the half, whose sessions may follow each other
     */
    public SessionGuard(SpinLock lock) {
        this.lock = lock;
    }

    /** An empty pool of messages, under the lock of the half. */
    public MessagePool newMessages() {
        return new MessagePool(lock);
    }

    /** Takes the lock of the half; for a thread inside the session. */
    public void lock() {
        lock.lock();
    }

    /** Releases the lock. */
    public void unlock() {
        lock.unlock();
    }

    /** Enters; {@link #exit} must follow if it returns true. */
    public boolean enter() {
        boolean isEntered = enterLocked();
        if (isEntered) {
            lock.unlock();
        }
        return isEntered;
    }

    /**
     * Enters, and takes the lock; {@link #unlock} and {@link #exit}, or {@link #exitLocked}, must
     * follow if it returns true. If it returns false the lock is not held.
     */
    public boolean enterLocked() {
        lock.lock();
        if (shut) {
            lock.unlock();
            return false;
        }
        inside++;
        return true;
    }

    /** Leaves. */
    public void exit() {
        lock.lock();
        exitLocked();
    }

    /** Leaves, and releases the lock. */
    public void exitLocked() {
        inside--;
        lock.unlock();
    }

    /** Stops further threads from entering. Returns false if that was so before. */
    public boolean shut() {
        lock.lock();
        boolean wasOpen = !shut;
        shut = true;
        lock.unlock();
        return wasOpen;
    }

    /** Whether it is open and no thread is inside at this moment. */
    public boolean isIdle() {
        lock.lock();
        boolean isIdle = !shut && inside == 0;
        lock.unlock();
        return isIdle;
    }

    /** Whether it is shut and no thread is inside. */
    public boolean isEmpty() {
        lock.lock();
        boolean isEmpty = shut && inside == 0;
        lock.unlock();
        return isEmpty;
    }

    /**
     * Waits until no thread is inside.
     *
     * @param endNs when to stop waiting, on the clock's scale
     * @param wake called repeatedly, to wake sleeping threads
     * @return false if the time passed first
     */
    public boolean awaitEmpty(NanoClock clock, long endNs, Runnable wake) {
        while (!isEmpty()) {
            if (clock.nanoTime() - endNs >= 0) {
                return false;
            }
            wake.run();
            Interrupts.park(POLL_NS);
        }
        return true;
    }
}
