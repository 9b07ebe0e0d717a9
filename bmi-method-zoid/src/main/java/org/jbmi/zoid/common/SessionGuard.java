package org.jbmi.zoid.common;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.SpinLock;

import java.util.concurrent.locks.LockSupport;

/**
 * The lock of a half, as one session of it uses it, and the count of the threads inside the calls
 * of that session: its memory is unmapped when nobody is inside any more. Once shut, nobody gets
 * in.
 *
 * <p>The lock guards what the threads of the half share: the count, the slots of operations, the
 * messages to be filled, what is counted. It is held for some tens of nanoseconds, and never while
 * anybody waits for room, wakes, sleeps, logs, calls the core or copies more than a message in a
 * lane. So a call that enters, does something to a slot, sends, does something to the slot again
 * and leaves takes it twice; a short note that finds room is put into its lane in between.
 */
public final class SessionGuard {
    private static final long POLL_NS = 100_000;

    private final SpinLock lock;
    private int inside;
    private boolean shut;

    /**
     * Open, and nobody is inside.
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

    /** Takes the lock of the half; for a thread that is inside. */
    public void lock() {
        lock.lock();
    }

    /** Gives the lock back. */
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
     * follow if it returns true. If it returns false the lock is free.
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

    /** Leaves, and gives the lock back. */
    public void exitLocked() {
        inside--;
        lock.unlock();
    }

    /** Lets nobody in any more. Returns false if that was so before. */
    public boolean shut() {
        lock.lock();
        boolean wasOpen = !shut;
        shut = true;
        lock.unlock();
        return wasOpen;
    }

    /** Whether it is open and nobody is inside at this moment. */
    public boolean isIdle() {
        lock.lock();
        boolean isIdle = !shut && inside == 0;
        lock.unlock();
        return isIdle;
    }

    /** Whether nobody gets in any more. */
    public boolean isShut() {
        lock.lock();
        boolean isShut = shut;
        lock.unlock();
        return isShut;
    }

    /** Whether it is shut and nobody is inside. */
    public boolean isEmpty() {
        lock.lock();
        boolean isEmpty = shut && inside == 0;
        lock.unlock();
        return isEmpty;
    }

    /**
     * Waits until nobody is inside.
     *
     * @param endNs when to give up, on the clock's scale
     * @param wake called again and again, so that sleepers look up
     * @return false if the time passed first
     */
    public boolean awaitEmpty(NanoClock clock, long endNs, Runnable wake) {
        while (!isEmpty()) {
            if (clock.nanoTime() - endNs >= 0) {
                return false;
            }
            wake.run();
            LockSupport.parkNanos(POLL_NS);
        }
        return true;
    }
}
