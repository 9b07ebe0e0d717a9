package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits of an interrupted thread. While the interrupt flag is set, a park or a select returns at
 * once, so a waiting thread would spin. So the wait ends, or it clears the flag and sets it again
 * after the wait.
 */
public final class Interrupts {
    private Interrupts() {}

    /**
     * Throws if the thread is interrupted; it stays interrupted.
     *
     * @param whom the party it waits for
     * @throws BmiException with {@link ErrorCode#EINTR} if so
     */
    public static void endWaitFor(String whom) {
        if (Thread.currentThread().isInterrupted()) {
            throw new BmiException(
                    ErrorCode.EINTR,
                    "The thread was interrupted while it waited for " + whom + ".");
        }
    }

    /**
     * Clears the flag of this thread before a wait. Call it before the thread looks whether it must
     * wait: it takes a permit to park.
     *
     * @return whether it was set, for {@link #restore}, which must follow
     */
    public static boolean setAside() {
        if (Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(1); // ends at once, and takes the permit of the interrupt
        }
        return Thread.interrupted();
    }

    /** Parks between two looks, for a thread that nobody unparks. */
    public static void park(long timeNs) {
        boolean wasInterrupted = setAside();
        try {
            LockSupport.parkNanos(timeNs);
        } finally {
            restore(wasInterrupted);
        }
    }

    /**
     * Waits on a condition, in a loop that looks whether it must. An interrupt meanwhile ends the
     * wait; the thread stays interrupted.
     *
     * @param condition whose lock this thread holds
     * @return how much of the time is left; 0 or less if none is
     */
    @SuppressWarnings("WaitNotInLoop") // its caller's
    public static long await(Condition condition, long timeNs) {
        boolean wasInterrupted = setAside();
        try {
            return condition.awaitNanos(timeNs);
        } catch (InterruptedException e) {
            wasInterrupted = true;
            return 0;
        } finally {
            restore(wasInterrupted);
        }
    }

    /**
     * Waits for the end of a thread, whether this thread is interrupted meanwhile or not.
     *
     * @return whether it was interrupted, for {@link #restore}, which must follow
     */
    public static boolean join(Thread thread, long mostNs) {
        boolean wasInterrupted = false;
        long endNs = System.nanoTime() + mostNs;
        long leftNs = mostNs;
        while (thread.isAlive() && leftNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
            leftNs = endNs - System.nanoTime();
        }
        return wasInterrupted;
    }

    /**
     * Sets the flag again after a wait.
     *
     * @param wasInterrupted what {@link #setAside} or {@link #join} has returned
     */
    public static void restore(boolean wasInterrupted) {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
