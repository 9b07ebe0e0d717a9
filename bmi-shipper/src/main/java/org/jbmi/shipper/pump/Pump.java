package org.jbmi.shipper.pump;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Makes progress: posts operations, hears of their outcomes, and says so to whom they concern.
 *
 * <p>All state of the owner is guarded by one lock. An outcome is never told inside a post, but
 * when the lock is left for the last time, or by whoever <i>drives</i>. One thread drives at a
 * time: a thread of the program that waits for something, else the pump's own thread if it has one.
 * A thread that finds another one driving is parked until what it waits for is finished, or until
 * it may drive itself. Nobody is forgotten: a waiting thread counts itself and then tries to drive;
 * who stops driving says so first and looks for waiting threads then.
 */
public final class Pump extends Posting {
    /** The longest sleep, so that deadlines are seen that came later than the sleep began. */
    private static final long SLICE_MS = 10;

    private static final long NS_PER_MS = 1_000_000;
    private static final int BATCH = 64;

    private final Bmi bmi;
    private final LongSupplier clock;
    private final Work work;
    private final ReentrantLock lock = new ReentrantLock();
    private final Completions outcomes = Completions.ofCapacity(BATCH);
    private final AtomicBoolean driving = new AtomicBoolean();
    private final ReentrantLock followersLock = new ReentrantLock();
    private final ArrayDeque<Thread> followers = new ArrayDeque<>();
    private volatile int followerCount;
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile @Nullable Background background;
    private List<Runnable> later = new ArrayList<>();

    /** Whether the last look may have left something; of the thread that drives. */
    private boolean more;

    /** When the round began whose outcomes are told; of the thread that drives. */
    private long roundNs;

    /** When a thread of the program last stopped driving; kept for the pump's own thread. */
    private volatile long leftNs;

    /**
     * Makes a pump that does not run yet.
     *
     * @param bmi what it posts on
     * @param clock nanoseconds
     * @param work what else there is to do
     */
    public Pump(Bmi bmi, LongSupplier clock, Work work) {
        super(bmi.openContext());
        this.bmi = bmi;
        this.clock = clock;
        this.work = work;
        this.leftNs = System.nanoTime();
    }

    /**
     * Gives it a thread.
     *
     * @param name of the thread
     * @param lingerNs how long the thread leaves the driving to the program's threads after the
     *     last one of them has waited
     */
    public void start(String name, long lingerNs) {
        Background thread = new Background(this, name, lingerNs);
        background = thread;
        thread.start();
    }

    /**
     * The instance that it posts on.
     *
     * @return the instance
     */
    public Bmi bmi() {
        return bmi;
    }

    /**
     * Whether this is the pump's own thread, which drives then: only that makes it call anything.
     *
     * @return true if it is
     */
    public boolean isOwnThread() {
        return Thread.currentThread() == background;
    }

    /**
     * The time.
     *
     * @return nanoseconds
     */
    public long nowNs() {
        return clock.getAsLong();
    }

    /**
     * When the round began in which the owner's {@link Work#look} is called: the time without a
     * look at the clock.
     *
     * @return nanoseconds
     */
    public long roundNs() {
        return roundNs;
    }

    /** Takes the lock; may be nested. */
    public void enter() {
        lock.lock();
    }

    /** Leaves the lock; for the last time: after whatever is ready was told. */
    public void leave() {
        if (lock.getHoldCount() > 1) {
            lock.unlock();
            return;
        }
        List<Runnable> run = null;
        try {
            tellReady();
            if (!later.isEmpty()) {
                run = later;
                later = new ArrayList<>();
            }
        } finally {
            lock.unlock();
        }
        if (run != null) {
            run.forEach(Pump::guarded);
        }
    }

    /**
     * Runs something when the lock is not held any more.
     *
     * @param action what to run
     */
    public void later(Runnable action) {
        later.add(action);
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "A program's own action failed.", e);
        }
    }

    /**
     * Makes one round of progress; waits if there is nothing to do. Only one thread at a time: if
     * another one drives, this waits a little instead, so that a thread that calls it in a loop
     * keeps no processor busy.
     *
     * @param idleMs the longest wait in milliseconds
     */
    public void driveOnce(long idleMs) {
        if (driving.compareAndSet(false, true)) {
            try {
                round(idleMs);
            } finally {
                endDrive();
            }
        } else if (idleMs > 0) {
            LockSupport.parkNanos(this, NS_PER_MS / 2);
        }
    }

    /**
     * Makes progress until something is so, if it is so in time.
     *
     * @param over asked under the lock
     * @param waitMs the longest wait
     */
    public void driveUntil(BooleanSupplier over, long waitMs) {
        long endNs = System.nanoTime() + waitMs * NS_PER_MS;
        boolean done = false;
        while (!done && !closed && endNs - System.nanoTime() > 0) {
            driveOnce(1);
            enter();
            try {
                done = over.getAsBoolean();
            } finally {
                leave();
            }
        }
    }

    private void round(long idleMs) {
        int count;
        try {
            count = context.testContext(outcomes, more ? 0 : idleMs);
        } catch (BmiException e) {
            lose(e);
            return;
        }
        enter();
        try {
            for (int k = 0; k < count; k++) {
                pending--;
                if (outcomes.userData(k) instanceof Posted posted) {
                    tell(posted, outcomes.outcome(k).negativeValue(), outcomes.sizeBytes(k));
                }
            }
            roundNs = clock.getAsLong();
            more = work.look();
            work.tick(roundNs);
        } catch (BmiException e) {
            lose(e);
        } finally {
            leave();
        }
        work.afterRound();
    }

    @Override
    void lose(BmiException e) {
        enter();
        try {
            if (!lost) {
                lost = true;
                closed = true;
                ErrorCode code = bmi.isClosed() ? ErrorCode.ECANCEL : e.code();
                work.lost(code.negativeValue());
            }
        } finally {
            leave();
        }
    }

    /**
     * Waits. A thread with its interrupt flag set returns at once and keeps it.
     *
     * @param awaited for what
     * @param timeoutNs how long at most
     * @return whether it is over
     */
    public boolean await(Awaited awaited, long timeoutNs) {
        if (awaited.isFinished()) {
            return true;
        }
        if (timeoutNs <= 0) {
            return false;
        }
        long endNs = System.nanoTime() + timeoutNs;
        Thread self = Thread.currentThread();
        boolean mayDrive = !self.isVirtual() || background == null;
        long left = timeoutNs;
        while (left > 0 && isWanted(awaited, self)) {
            if (mayDrive && driving.compareAndSet(false, true)) {
                try {
                    driveFor(awaited, left, endNs);
                } finally {
                    endDrive();
                }
            } else {
                follow(awaited, self, left, mayDrive);
            }
            left = awaited.isFinished() ? 0 : endNs - System.nanoTime();
        }
        return awaited.isFinished();
    }

    private boolean isWanted(Awaited awaited, Thread self) {
        return !awaited.isFinished() && !self.isInterrupted() && !lost;
    }

    private void driveFor(Awaited awaited, long firstLeftNs, long endNs) {
        Thread self = Thread.currentThread();
        long left = firstLeftNs;
        while (left > 0 && isWanted(awaited, self)) {
            round(Math.min(SLICE_MS, (left + NS_PER_MS - 1) / NS_PER_MS));
            left = awaited.isFinished() ? 0 : endNs - System.nanoTime();
        }
    }

    private void follow(Awaited awaited, Thread self, long leftNs, boolean mayDrive) {
        lock.lock();
        try {
            if (awaited.isFinished()) {
                return;
            }
            awaited.addWaiter(self);
        } finally {
            lock.unlock();
        }
        if (mayDrive) {
            count(self, true);
        } else {
            kick();
        }
        try {
            if (!awaited.isFinished() && (!mayDrive || driving.get())) {
                LockSupport.parkNanos(this, Math.min(leftNs, SLICE_MS * NS_PER_MS));
            }
        } finally {
            if (mayDrive) {
                count(self, false);
            }
            lock.lock();
            try {
                awaited.removeWaiter(self);
            } finally {
                lock.unlock();
            }
        }
    }

    private void count(Thread self, boolean adds) {
        followersLock.lock();
        try {
            if (adds) {
                followers.addLast(self);
            } else {
                followers.remove(self);
            }
            followerCount = followers.size();
        } finally {
            followersLock.unlock();
        }
    }

    private void endDrive() {
        if (background != null && !isOwnThread()) {
            leftNs = System.nanoTime();
        }
        driving.set(false);
        if (followerCount > 0) {
            followersLock.lock();
            try {
                LockSupport.unpark(followers.peekFirst());
            } finally {
                followersLock.unlock();
            }
        }
    }

    /** Has the pump's own thread look, if it rests. */
    public void kick() {
        Background thread = background;
        if (thread != null) {
            thread.kick();
        }
    }

    /** Drives for as long as nobody else wants to; for the pump's own thread. */
    void driveAlone() {
        if (driving.compareAndSet(false, true)) {
            try {
                do {
                    round(SLICE_MS);
                } while (!closed && followerCount == 0 && isBusy());
            } finally {
                endDrive();
            }
        }
    }

    /** Also when all that is left are operations that were cancelled: they are to be reported. */
    boolean isBusy() {
        if (work.isBusy()) {
            return true;
        }
        enter();
        try {
            return pending > 0;
        } finally {
            leave();
        }
    }

    /** How long no thread of the program has driven. */
    long alonePeriodNs() {
        return driving.get() ? 0 : System.nanoTime() - leftNs;
    }

    /**
     * Whether it was closed, or cannot go on.
     *
     * @return true if it does nothing any more
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Ends it: stops its thread, and closes its context, which cancels what is pending.
     *
     * @param waitMs how long to wait for the thread
     */
    public void close(long waitMs) {
        closed = true;
        Background thread = background;
        if (thread != null) {
            thread.end(waitMs);
        }
        if (!bmi.isClosed()) {
            context.close();
        }
    }
}
