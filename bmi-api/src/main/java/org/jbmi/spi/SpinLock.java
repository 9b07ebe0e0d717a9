package org.jbmi.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for short critical sections that never wait. A thread takes it by one compare-and-set, and
 * releases it by a release store. So a section costs one locked instruction where a monitor or a
 * {@code ReentrantLock} costs two. Never allocates.
 *
 * <p><b>Waiting.</b> An unlock wakes no thread. A thread that finds the lock taken tries a few
 * times, then yields, then parks for 20 µs at a time. So a holder that lost its processor gets it
 * back soon, and a virtual thread that waits releases its carrier. The lock is not fair.
 *
 * <p><b>Rules.</b> Not reentrant: a thread that takes it twice waits for itself. The holder must
 * not block in the section. An unlock does not order later loads. A thread may store, unlock, and
 * then read what another thread stored without this lock. Such a thread needs a full fence after
 * the unlock.
 */
public final class SpinLock {
    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long PARK_NS = 20_000;

    private static final VarHandle STATE =
            VarHandles.of(MethodHandles.lookup(), SpinLock.class, "state", int.class);

    @SuppressWarnings("unused") // through STATE
    private int state;

    /** Makes a free lock. */
    public SpinLock() {}

    /** Takes the lock; waits if it is taken. An interrupt does not end the wait. */
    public void lock() {
        if (!STATE.compareAndSet(this, 0, 1)) {
            lockSlowly();
        }
    }

    /**
     * Takes the lock if it is free, without waiting.
     *
     * @return whether it was taken; then {@link #unlock} must follow
     */
    public boolean tryLock() {
        return (int) STATE.getOpaque(this) == 0 && STATE.compareAndSet(this, 0, 1);
    }

    /** Releases the lock. Called by the thread that holds it. */
    public void unlock() {
        STATE.setRelease(this, 0);
    }

    /**
     * Whether it is held, for checks in tests and in code that must not be called under it.
     *
     * @return true if it is taken, by any thread
     */
    public boolean isLocked() {
        return (int) STATE.getAcquire(this) != 0;
    }

    private void lockSlowly() {
        int looks = 0;
        do {
            while ((int) STATE.getOpaque(this) != 0) {
                pause(looks);
                looks = Math.min(looks + 1, SPINS + YIELDS);
            }
        } while (!STATE.compareAndSet(this, 0, 1));
    }

    @SuppressWarnings("ThreadPriorityCheck")
    private static void pause(int looks) {
        if (looks < SPINS) {
            Thread.onSpinWait();
        } else if (looks < SPINS + YIELDS || Thread.currentThread().isInterrupted()) {
            Thread.yield(); // a park ends at once while the thread is interrupted
        } else {
            LockSupport.parkNanos(PARK_NS);
        }
    }
}
