package org.jbmi.shipper.pump;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.spi.WaitPolicy;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Makes progress: posts operations, takes their outcomes, and calls the code that waits for them.
 *
 * <p>One lock guards all state of the owner. The pump never reports an outcome inside a post. It
 * reports when a thread releases the outermost hold of the lock, or in the thread that
 * <i>drives</i>.
 *
 * <p>One thread drives at a time: a thread of the program that waits for something, else the pump's
 * own thread if it has one. A thread that finds another one driving is parked until what it waits
 * for is finished, or until it may drive itself. No wake-up is lost. A thread that waits first adds
 * itself to the list and then reads whether another one drives. A thread that stops driving first
 * clears this mark and then reads the list.
 *
 * <p>The thread that drives runs actions after a round. If one waits, the thread drives on inside
 * it, because no other one may; it runs no further action meanwhile.
 */
public final class Pump extends Posting {
    /** A hold of the lock, for a try statement. */
    public interface Held extends AutoCloseable {
        /** As {@link Pump#leave}. */
        @Override
        void close();
    }

    /** The longest sleep, so that deadlines are seen that came later than the sleep began. */
    static final long SLICE_MS = 10;

    private static final long NS_PER_MS = 1_000_000;

    /** A waiting thread reads the clock once in so many rounds. */
    private static final int LOOKS_A_CLOCK = 16;

    /** One in so many rounds is not left out even if there is nothing to do. */
    private static final int ROUNDS_A_TICK = 64;

    private final Bmi bmi;
    private final WaitPolicy policy;
    private final LongSupplier clock;
    private final Work work;
    private final Followers followers = new Followers();
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile @Nullable OwnThreads own;

    /** The longest sleep of a thread that does not drive; longer in a test. */
    long followNs = SLICE_MS * NS_PER_MS;

    /** Whether the last look may have left something; of the thread that drives. */
    private boolean more;

    /** When the round began whose outcomes are told; of the thread that drives. */
    private long roundNs;

    /** Counts rounds that need not tick; of the thread that drives. */
    private int lightRounds;

    /** When a thread of the program last stopped driving; kept for the pump's own thread. */
    private volatile long leftNs;

    /**
     * Makes a pump that does not run yet.
     *
     * @param clock nanoseconds
     */
    public Pump(Bmi bmi, LongSupplier clock, Work work) {
        super(bmi.openContext());
        this.bmi = bmi;
        this.policy = WaitPolicy.of(bmi.configuration());
        this.clock = clock;
        this.work = work;
        this.leftNs = System.nanoTime();
    }

    /**
     * Gives it a thread.
     *
     * @param lingerNs how long the thread leaves the driving to the program's threads after the
     *     last one of them has waited
     */
    public void start(String name, long lingerNs) {
        OwnThreads threads = new OwnThreads(this, name, lingerNs);
        own = threads;
        try {
            threads.start();
        } catch (RuntimeException | Error e) {
            own = null;
            throw e;
        }
    }

    /** The instance that it posts on. */
    public Bmi bmi() {
        return bmi;
    }

    /**
     * Whether this is the pump's own thread, which drives then: only that makes it call anything.
     */
    public boolean isOwnThread() {
        OwnThreads threads = own;
        return threads != null && threads.isCurrent(Thread.currentThread());
    }

    /**
     * Whether this thread is the pump's own, or was before it was replaced. Such a thread must not
     * wait for what the pump moves.
     */
    public boolean isOrWasOwnThread() {
        return Thread.currentThread() instanceof Background thread && thread.isOf(this);
    }

    /**
     * The pump's own thread, which drives, begins to run code of the program. If that takes long
     * another thread drives instead from then on, and is the pump's own. Returns what {@link
     * #endCode} takes.
     */
    public long beginCode() {
        return Objects.requireNonNull(own).begin();
    }

    /**
     * The code for which {@link #beginCode} returned {@code run} is over. False if this thread no
     * longer drives: it must leave everything to the other one.
     */
    public boolean endCode(long run) {
        return Objects.requireNonNull(own).end(run);
    }

    /** The time. */
    public long nowNs() {
        return clock.getAsLong();
    }

    /**
     * When the round began in which the owner's {@link Work#look} is called: the time without a
     * look at the clock.
     */
    public long roundNs() {
        return roundNs;
    }

    /**
     * Makes one round of progress; waits if there is nothing to do. Only one thread at a time
     * drives. If another one does, this waits a little instead. So a thread that calls it in a loop
     * keeps no processor busy.
     *
     * @param idleMs the longest wait in milliseconds
     */
    public void driveOnce(long idleMs) {
        if (beginDrive()) {
            try {
                round(idleMs, false);
            } finally {
                endDrive();
            }
        } else if (idleMs > 0) {
            LockSupport.parkNanos(this, NS_PER_MS / 2);
        }
    }

    /** Does something that belongs to the thread that drives, unless another one drives. */
    public void whileDriving(Runnable action) {
        if (beginDrive()) {
            try {
                action.run();
            } finally {
                endDrive();
            }
        }
    }

    /**
     * Makes progress until {@code over} is true, or the time has passed.
     *
     * @param over asked under the lock
     */
    public void driveUntil(BooleanSupplier over, long waitMs) {
        long endNs = System.nanoTime() + waitMs * NS_PER_MS;
        boolean done = false;
        while (!done && !closed && endNs - System.nanoTime() > 0) {
            driveOnce(1);
            try (var _ = held()) {
                done = over.getAsBoolean();
            }
        }
    }

    /**
     * One round: what is over is told, what came is acted upon, and time passes.
     *
     * @param mayBeLight whether a look at the clock may be left out, for one of many rounds
     */
    private boolean round(long idleMs, boolean mayBeLight) {
        while (hasTaken()) { // the last round failed, or one inside an action of this one
            tellTaken();
        }
        int found;
        try {
            if (idleMs > 0 && !more) {
                take(idleMs);
                found = work.peek();
            } else {
                found = work.peek(); // makes progress for both
                if (found == Work.NOT_LOOKED) {
                    take(0);
                } else {
                    takeKnown();
                }
            }
        } catch (BmiException e) {
            tellTaken();
            lose(e);
            return false;
        }
        boolean isLight = mayBeLight && ++lightRounds % ROUNDS_A_TICK != 0;
        boolean isEmpty = !hasTaken() && found <= 0 && !more && !hasLater();
        if (isEmpty && (isLight || work.isQuiet())) {
            return false;
        }
        enter();
        try {
            tellTaken();
            if (!isLight || found > 0) {
                roundNs = clock.getAsLong();
                more = work.look();
                work.tick(roundNs);
            }
        } catch (BmiException e) {
            lose(e);
        } finally {
            leave();
        }
        return !isEmpty;
    }

    @Override
    void lose(BmiException e) {
        try (var _ = held()) {
            if (!lost) {
                lost = true;
                closed = true;
                ErrorCode code = bmi.isClosed() ? ErrorCode.ECANCEL : e.code();
                work.lost(code.negativeValue());
            }
        }
    }

    /** Waits. A thread with its interrupt flag set returns at once and keeps it. */
    public boolean await(Awaited awaited, long timeoutNs) {
        if (awaited.isFinished() || timeoutNs <= 0) {
            return awaited.isFinished();
        }
        Thread self = Thread.currentThread();
        boolean mayDrive = !self.isVirtual() || own == null;
        if (mayDrive && policy.neverSleeps()) {
            lookFor(awaited, self, timeoutNs);
            if (awaited.isFinished()) {
                return true;
            }
        }
        long endNs = System.nanoTime() + timeoutNs;
        long left = timeoutNs;
        while (left > 0 && isWanted(awaited, self)) {
            if (mayDrive && beginDrive()) {
                try {
                    driveFor(awaited, left, endNs);
                } finally {
                    endDrive();
                }
            } else if (isDriver() && !lock.isHeldByCurrentThread()) {
                driveInAction(awaited, left, endNs);
            } else {
                follow(awaited, self, left, mayDrive);
            }
            left = awaited.isFinished() ? 0 : endNs - System.nanoTime();
        }
        passOn(); // this thread may have been woken to drive
        return awaited.isFinished();
    }

    /**
     * Looks again and again, on an instance whose callers never sleep. A wait in a test call costs
     * more: some methods tell the other side of its beginning and of its end.
     */
    private void lookFor(Awaited awaited, Thread self, long timeoutNs) {
        if (!beginDrive()) {
            return;
        }
        try {
            long sinceNs = 0;
            boolean isInTime = true;
            for (long looks = 1; isInTime && isWanted(awaited, self); looks++) {
                if (!round(0, true)) {
                    policy.pause();
                }
                work.afterRound();
                if (looks % LOOKS_A_CLOCK == 0) {
                    long nowNs = System.nanoTime();
                    sinceNs = looks == LOOKS_A_CLOCK ? nowNs : sinceNs;
                    isInTime = nowNs - sinceNs < timeoutNs;
                }
            }
        } finally {
            endDrive();
        }
    }

    private boolean isWanted(Awaited awaited, Thread self) {
        return !awaited.isFinished() && !self.isInterrupted() && !lost;
    }

    private void driveFor(Awaited awaited, long firstLeftNs, long endNs) {
        Thread self = Thread.currentThread();
        long left = firstLeftNs;
        while (left > 0 && isWanted(awaited, self)) {
            round(Math.min(SLICE_MS, (left + NS_PER_MS - 1) / NS_PER_MS), false);
            work.afterRound();
            left = awaited.isFinished() ? 0 : endNs - System.nanoTime();
        }
    }

    private void driveInAction(Awaited awaited, long leftNs, long endNs) {
        drivesInAction = true;
        try {
            driveFor(awaited, leftNs, endNs);
        } finally {
            drivesInAction = false;
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
            followers.add(self);
        } else {
            kick();
        }
        try {
            if (!awaited.isFinished() && (!mayDrive || driver.get() != null)) {
                LockSupport.parkNanos(this, Math.min(leftNs, followNs));
            }
        } finally {
            if (mayDrive) {
                followers.remove(self);
            }
            lock.lock();
            try {
                awaited.removeWaiter(self);
            } finally {
                lock.unlock();
            }
        }
    }

    private void endDrive() {
        if (own != null && !isOwnThread()) {
            leftNs = System.nanoTime();
        }
        driver.set(null);
        passOn();
        runLater(); // an action that waited may have left some
    }

    private void passOn() {
        OwnThreads threads = own;
        if (driver.get() != null) {
            return;
        }
        if (followers.areThere()) {
            followers.wakeFirst();
        } else if (threads != null) {
            threads.takeTurn();
        }
    }

    /** Wakes the pump's own thread if it sleeps. */
    public void kick() {
        OwnThreads threads = own;
        if (threads != null) {
            threads.kick();
        }
    }

    /** Drives as long as no other thread wants to; for the pump's own thread. */
    void driveAlone() {
        if (beginDrive()) {
            driveOn(false);
        }
    }

    /** Drives instead of a thread that was replaced, and begins with what that one has left. */
    void takeOver() {
        driver.set(Thread.currentThread());
        driveOn(true);
    }

    private void driveOn(boolean tookOver) {
        boolean spins = policy.neverSleeps();
        boolean goesOn = true;
        try {
            if (tookOver) {
                work.afterRound();
            }
            while (goesOn && isOwnThread()) { // if it is replaced the other one goes on
                if (!round(spins ? 0 : SLICE_MS, spins) && spins) {
                    policy.pause();
                }
                work.afterRound();
                goesOn = !closed && !followers.areThere() && isBusy();
            }
        } finally {
            if (isOwnThread()) {
                endDrive();
            }
        }
    }

    /**
     * Whether the thread must go on. It must also while cancelled operations have no outcome yet,
     * or while an action waits that found no memory.
     */
    boolean isBusy() {
        if (work.isBusy()) {
            return true;
        }
        try (var _ = held()) {
            return pending > 0 || hasLater();
        }
    }

    /** How long no thread of the program has driven; negative while any thread drives. */
    long alonePeriodNs() {
        return driver.get() != null ? -1 : System.nanoTime() - leftNs;
    }

    /** Whether it was closed, or cannot go on: it does nothing any more. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Runs actions that found no memory, until they have found some or this time has come; for a
     * closed pump.
     */
    void runAgain(long endNs) {
        enter();
        leave();
        while (hasLater() && endNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, SLICE_MS * NS_PER_MS);
            runLater();
        }
    }

    /**
     * Ends it: stops its thread, and closes its context, which cancels what is pending.
     *
     * @param waitMs how long to wait for the thread, and for actions that find no memory
     */
    public void close(long waitMs) {
        closed = true;
        long endNs = System.nanoTime() + waitMs * NS_PER_MS;
        try {
            OwnThreads threads = own;
            if (threads != null) {
                threads.end(Duration.ofMillis(waitMs));
            }
            runAgain(endNs); // without a thread, or if the thread had gone before
        } finally {
            try {
                if (!bmi.isClosed()) {
                    context.close();
                }
            } finally {
                lost = true; // nothing more comes: who still waits may go
            }
        }
    }
}
