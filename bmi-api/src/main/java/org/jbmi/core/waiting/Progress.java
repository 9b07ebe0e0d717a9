package org.jbmi.core.waiting;

import org.jbmi.BmiException;
import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.Method;
import org.jbmi.spi.SleepPlace.Sleep;
import org.jbmi.spi.VarHandles;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.spi.Waitable;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides which thread makes progress and how threads wait; knows whether the instance is open.
 *
 * <p>One thread at a time has the lead and polls the methods. A caller without the lead waits for
 * the lead to complete its operations. Blocked callers, the followers, park; when the lead leaves,
 * one of them takes over.
 *
 * <p>No wake-up is lost, by the same argument in two places. A waiting caller counts itself, then
 * tries to take the lead; a leaving lead releases the lead, then reads the count. A sleeping lead
 * stores {@code sleepingFor}, then reads its signal and polls its methods; a signaller sets the
 * signal, then reads {@code sleepingFor}. All four are volatile accesses, so at least one side sees
 * the other.
 */
public final class Progress {
    private static final long NS_PER_MS = 1_000_000;

    private static final VarHandle LEAD =
            VarHandles.of(MethodHandles.lookup(), Progress.class, "lead", int.class);

    private final LeadDuties duties;
    private final WaitPolicy policy;
    private final SelectorSleep selectorSleep = new SelectorSleep();

    @SuppressWarnings("unused") // through LEAD
    private volatile int lead;

    private volatile ActiveMethods active = ActiveMethods.NONE;
    private volatile boolean closing;
    private volatile boolean closed;

    /** Whether methods know of a wait and not of its end; written by the lead. */
    private volatile boolean waitBegun;

    private volatile @Nullable Waiter sleepingFor;
    private volatile @Nullable Thread sleepingThread;
    private volatile @Nullable Sleep sleepingIn;
    private volatile boolean wakePending;

    private final ReentrantLock followersLock = new ReentrantLock();
    private final IntrusiveList<Waiter.Follower> followers = new IntrusiveList<>();
    private volatile int followerCount;

    public Progress(LeadDuties duties, WaitPolicy policy) {
        this.duties = duties;
        this.policy = policy;
    }

    /** Refuses a negative wait. */
    public static void checkIdle(long idleMs) {
        if (idleMs < 0) {
            throw Arguments.invalid(
                    "A wait of " + idleMs + " ms was asked for; it must be 0 or more.");
        }
    }

    /** Converts a wait to nanoseconds, at most a quarter of what a long holds. */
    public static long nanos(long milliseconds) {
        return milliseconds > Long.MAX_VALUE / 4 / NS_PER_MS
                ? Long.MAX_VALUE / 4
                : milliseconds * NS_PER_MS;
    }

    /**
     * Adds an active method; a sleeping lead wakes up to serve it.
     *
     * @param publish runs before a thread polls the method, when nothing else can fail any more; if
     *     it fails, the method is not added
     */
    public synchronized void add(Method method, Runnable publish) {
        ActiveMethods grown = active.with(method);
        publish.run();
        active = grown;
        wake();
    }

    /** The active methods, oldest first; not to be changed. */
    public Method[] methods() {
        return active.methods;
    }

    /**
     * Makes progress before a test call checks for completions. A call with idle time leaves the
     * polling to its wait, if a sleep finds every event. A call of an interrupted thread does not
     * wait, so it polls here as if it had no idle time.
     *
     * @param noIdleTime whether the call has no idle time
     */
    public void pollOnce(boolean noIdleTime) {
        boolean fullRound = noIdleTime || Thread.currentThread().isInterrupted();
        ActiveMethods served = active;
        if (served.waitables.length == 0 && !duties.hasDeadlines()) {
            return;
        }
        if (!fullRound && policy.neverLooks() && maySleepFirst(served)) {
            return;
        }
        if (!tryLead()) {
            return;
        }
        try {
            progressAll(served, fullRound);
        } finally {
            endLead();
        }
    }

    /**
     * Blocks until the waiter is signalled, the deadline passes, the thread is interrupted, or the
     * instance is closed.
     *
     * @param waiter begun by this thread
     * @param deadlineNs on {@link System#nanoTime()}'s scale
     */
    public void await(Waiter waiter, long deadlineNs) {
        while (!waiter.isSignalled() && !isOver(deadlineNs)) {
            if (!closing && tryLead()) {
                try {
                    leadFor(waiter, deadlineNs);
                } finally {
                    endLead();
                }
            } else {
                follow(waiter, deadlineNs);
            }
        }
        if (lead == 0) {
            passOn(); // this thread may be the one that was woken to take the lead
        }
    }

    /** Throws if the instance is closed, or about to be. */
    public void checkOpen() {
        if (closing) {
            throw closedInstance();
        }
    }

    /** The exception for a call on a closed instance. */
    public static BmiException closedInstance() {
        return Arguments.invalid("The instance is closed.");
    }

    public boolean isClosing() {
        return closing;
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Refuses calls and stops leading: callers wait only for the outcomes that the close reports.
     */
    public void beginClose() {
        closing = true;
        wake();
    }

    /** All methods are closed: nothing completes from now on. */
    public void endClose() {
        closed = true;
    }

    /** Waits until no thread has the lead, up to a deadline, then keeps it for good. */
    public void takeLeadForClose(long endNs) {
        boolean interrupted = false;
        while (!tryLead() && System.nanoTime() - endNs < 0) {
            wake();
            LockSupport.parkNanos(100_000);
            interrupted |= Thread.interrupted(); // else the next park ends at once
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        selectorSleep.close();
    }

    /** Wakes the waiter's thread if it sleeps as the lead; returns whether it did. */
    boolean wakeIfLeading(Waiter waiter) {
        if (sleepingFor != waiter) {
            return false;
        }
        wake();
        return true;
    }

    /**
     * Ends the lead's sleep, or prevents the next one. Never fails, since its callers have begun
     * what they must finish: if the method cannot end the sleep, it ends after its slice.
     */
    public void wake() {
        wakePending = true;
        Thread thread = sleepingThread;
        if (thread == null) {
            return;
        }
        Sleep sleep = sleepingIn;
        try {
            if (sleep != null) {
                sleep.wake();
            } else {
                LockSupport.unpark(thread);
                selectorSleep.wake();
            }
        } catch (RuntimeException | Error e) {
            // The sleep ends later.
        }
    }

    private boolean isOver(long deadlineNs) {
        return isOver(deadlineNs, System.nanoTime());
    }

    private static boolean isOver(long deadlineNs, long nowNs) {
        return deadlineNs - nowNs <= 0 || Thread.currentThread().isInterrupted();
    }

    private boolean tryLead() {
        return lead == 0 && LEAD.compareAndSet(this, 0, 1);
    }

    private void endLead() {
        try {
            if (waitBegun && followerCount == 0) {
                waitBegun = false;
                endWaits(active.waitables, 0);
            }
        } finally {
            lead = 0; // a method that fails must not keep the lead from other threads
            passOn();
        }
    }

    // Calls each, even if one before it fails.
    private static void endWaits(Waitable[] waitables, int first) {
        if (first < waitables.length) {
            try {
                waitables[first].endWait();
            } finally {
                endWaits(waitables, first + 1);
            }
        }
    }

    /**
     * Wakes a follower to take the lead, or tells the methods that no thread waits. A thread that
     * leaves calls it after the lead was released: the last one sees that none is left.
     */
    private void passOn() {
        if (followerCount > 0) {
            promote();
        } else if (waitBegun && tryLead()) {
            endLead();
        }
    }

    private void promote() {
        followersLock.lock();
        try {
            Waiter.Follower first = followers.first();
            LockSupport.unpark(first == null ? null : first.thread());
        } finally {
            followersLock.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // the set is replaced, never changed
    private void leadFor(Waiter waiter, long deadlineNs) {
        ActiveMethods served = ActiveMethods.NONE;
        long lookNs = policy.lookNs();
        boolean looked = false;
        long nowNs = System.nanoTime(); // read once a turn
        long idleSinceNs = nowNs;
        while (!waiter.isSignalled() && !closing && !isOver(deadlineNs, nowNs)) {
            if (served != active) {
                served = active;
                beginWaits(served.waitables, deadlineNs);
            }
            boolean sleepsFirst = lookNs == 0 && maySleepFirst(served);
            if (sleepsFirst && !wakePending) {
                sleepOnce(waiter, served, deadlineNs, nowNs, nowNs - idleSinceNs);
            }
            wakePending = false;
            if (progressAll(served, false) > 0) {
                policy.ended(looked, true);
                looked = false;
                if (waiter.isSignalled()) {
                    return;
                }
                nowNs = System.nanoTime();
                idleSinceNs = nowNs;
                lookNs = policy.lookNs();
                continue;
            }
            nowNs = System.nanoTime();
            if (looksOn(served, lookNs, nowNs - idleSinceNs)) {
                looked = true;
                policy.pause();
            } else {
                policy.ended(looked, false);
                looked = false;
                lookNs = 0;
                if (!sleepsFirst) {
                    sleepOnce(waiter, served, deadlineNs, nowNs, nowNs - idleSinceNs);
                    nowNs = System.nanoTime();
                }
            }
        }
    }

    // A virtual thread parks, and finds socket events only when it polls.
    private static boolean maySleepFirst(ActiveMethods served) {
        return served.maySleepFirst && !Thread.currentThread().isVirtual();
    }

    private boolean looksOn(ActiveMethods served, long lookNs, long idleNs) {
        if (policy.neverSleeps()) {
            return true;
        }
        return lookNs > 0 && idleNs < lookNs && served.isAnyEventNear();
    }

    private void beginWaits(Waitable[] waitables, long deadlineNs) {
        waitBegun = true;
        for (Waitable waitable : waitables) {
            waitable.beginWait(deadlineNs);
        }
    }

    /** If a method fails, the others are polled all the same; the first failure is thrown. */
    private int progressAll(ActiveMethods served, boolean fullRound) {
        int work = 0;
        Throwable failure = null;
        duties.beginRound();
        try {
            try {
                work = duties.hasDeadlines() ? duties.endExpired() : 0;
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            for (Waitable waitable : served.waitables) {
                try {
                    work += fullRound ? waitable.askAndPoll() : waitable.poll();
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
            }
        } finally {
            duties.endRound();
        }
        if (failure != null) {
            Failures.rethrow(failure);
        }
        return work;
    }

    @SuppressWarnings("ReferenceEquality") // the very waitable, the very set
    private void sleepOnce(
            Waiter waiter, ActiveMethods served, long deadlineNs, long nowNs, long idleNs) {
        duties.beforeSleep(nowNs);
        Waitable[] waitables = served.waitables;
        boolean parks = Thread.currentThread().isVirtual();
        Waitable sleeper = parks ? null : served.sleeper;
        sleepingIn = parks ? null : served.sleep;
        sleepingFor = waiter;
        sleepingThread = Thread.currentThread();
        int armed = 0;
        try {
            boolean quiet = true;
            while (quiet && armed < waitables.length) {
                Waitable waitable = waitables[armed++];
                quiet = waitable.arm(waitable == sleeper);
            }
            if (quiet && !wakePending && !waiter.isSignalled() && !closing && served == active) {
                sleep(served, parks, sleepNs(deadlineNs, nowNs, served.sliceNs(idleNs)));
            }
        } finally {
            sleepingThread = null;
            sleepingFor = null;
            disarm(waitables, 0, armed);
        }
    }

    // Disarms each that was armed, even if one before it fails.
    private static void disarm(Waitable[] waitables, int first, int armed) {
        if (first < armed) {
            try {
                waitables[first].disarm();
            } finally {
                disarm(waitables, first + 1, armed);
            }
        }
    }

    private long sleepNs(long deadlineNs, long nowNs, long sliceNs) {
        long untilNextNs = Math.max(0, duties.untilNextNs(nowNs));
        return Math.min(Math.min(deadlineNs - nowNs, sliceNs), untilNextNs);
    }

    private void sleep(ActiveMethods served, boolean parks, long timeoutNs) {
        Sleep sleep = served.sleep;
        if (parks || (sleep == null && !served.selects)) {
            LockSupport.parkNanos(this, Math.min(timeoutNs, served.parkSliceNs));
        } else if (sleep == null) {
            selectorSleep.select(served.places, timeoutNs);
        } else {
            long sliceNs = Math.min(timeoutNs, served.sleepSliceNs);
            selectorSleep.sleepIn(sleep, served.sleeperSelector, served.places, sliceNs);
        }
    }

    private void follow(Waiter waiter, long deadlineNs) {
        followersLock.lock();
        try {
            followers.addLast(waiter.follower);
            followerCount = followers.size();
        } finally {
            followersLock.unlock();
        }
        try {
            if (!waiter.isSignalled() && (lead != 0 || closing)) {
                long left = deadlineNs - System.nanoTime();
                LockSupport.parkNanos(this, Math.min(left, ActiveMethods.LONG_SLICE_NS));
            }
        } finally {
            followersLock.lock();
            try {
                followers.remove(waiter.follower);
                followerCount = followers.size();
            } finally {
                followersLock.unlock();
            }
        }
    }
}
