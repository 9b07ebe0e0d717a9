package org.jbmi.shipper.pump;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
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
public final class Pump {
    private static final System.Logger LOG = System.getLogger(Pump.class.getName());

    /** The longest sleep, so that deadlines are seen that came later than the sleep began. */
    private static final long SLICE_MS = 10;

    private static final long NS_PER_MS = 1_000_000;
    private static final int BATCH = 64;

    private final Bmi bmi;
    private final CompletionContext context;
    private final LongSupplier clock;
    private final Work work;
    private final ReentrantLock lock = new ReentrantLock();
    private final Completions outcomes = Completions.ofCapacity(BATCH);
    private final ArrayDeque<Posted> ready = new ArrayDeque<>();
    private final AtomicBoolean driving = new AtomicBoolean();
    private final ReentrantLock followersLock = new ReentrantLock();
    private final ArrayDeque<Thread> followers = new ArrayDeque<>();
    private volatile int followerCount;
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile @Nullable Background background;
    private List<Runnable> later = new ArrayList<>();
    private int pending;

    /** When a thread of the program last stopped driving. */
    private volatile long leftNs;

    /**
     * Makes a pump that does not run yet.
     *
     * @param bmi what it posts on
     * @param clock nanoseconds
     * @param work what else there is to do
     */
    public Pump(Bmi bmi, LongSupplier clock, Work work) {
        this.bmi = bmi;
        this.clock = clock;
        this.work = work;
        this.context = bmi.openContext();
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
     * The time.
     *
     * @return nanoseconds
     */
    public long nowNs() {
        return clock.getAsLong();
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
        List<Runnable> run = List.of();
        try {
            tellReady();
            if (!later.isEmpty()) {
                run = later;
                later = new ArrayList<>();
            }
        } finally {
            lock.unlock();
        }
        for (Runnable one : run) {
            guarded(one);
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

    private void tellReady() {
        Posted posted = ready.poll();
        while (posted != null) {
            tell(posted, posted.error, posted.sizeBytes);
            posted = ready.poll();
        }
    }

    private static void tell(Posted posted, int error, long sizeBytes) {
        posted.id = 0;
        try {
            posted.done(error, sizeBytes);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "An outcome could not be handled.", e);
        }
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "A program's own action failed.", e);
        }
    }

    /**
     * Posts a receive; under the lock.
     *
     * @param peer the sender
     * @param buffers where to
     * @param tag its tag
     * @param posted whom to tell
     */
    public void receive(PeerAddress peer, MemorySegment[] buffers, int tag, Posted posted) {
        try {
            if (buffers.length == 1) {
                settle(context.postReceive(peer, buffers[0], tag, posted), posted);
            } else {
                settle(
                        context.postReceiveList(
                                peer, buffers, total(buffers), tag, posted, PostOptions.NONE),
                        posted);
            }
        } catch (RuntimeException e) {
            refuse(posted, e);
        }
    }

    /**
     * Posts a receive into one buffer; under the lock.
     *
     * @param peer the sender
     * @param buffer where to
     * @param tag its tag
     * @param posted whom to tell
     */
    public void receive(PeerAddress peer, MemorySegment buffer, int tag, Posted posted) {
        try {
            settle(context.postReceive(peer, buffer, tag, posted), posted);
        } catch (RuntimeException e) {
            refuse(posted, e);
        }
    }

    /**
     * Posts an expected send; under the lock.
     *
     * @param peer the receiver
     * @param buffers the message
     * @param tag its tag
     * @param posted whom to tell
     */
    public void send(PeerAddress peer, MemorySegment[] buffers, int tag, Posted posted) {
        try {
            if (buffers.length == 1) {
                settle(context.postSend(peer, buffers[0], tag, posted), posted);
            } else {
                settle(
                        context.postSendList(
                                peer, buffers, total(buffers), tag, posted, PostOptions.NONE),
                        posted);
            }
        } catch (RuntimeException e) {
            refuse(posted, e);
        }
    }

    /**
     * Posts a message of one buffer; under the lock.
     *
     * @param peer the receiver
     * @param buffer the message
     * @param tag its tag
     * @param unexpected whether it is one that needs no receive
     * @param posted whom to tell
     */
    public void send(
            PeerAddress peer, MemorySegment buffer, int tag, boolean unexpected, Posted posted) {
        try {
            settle(
                    unexpected
                            ? context.postSendUnexpected(
                                    peer, buffer, tag, 0, posted, PostOptions.NONE)
                            : context.postSend(peer, buffer, tag, posted),
                    posted);
        } catch (RuntimeException e) {
            refuse(posted, e);
        }
    }

    private static long total(MemorySegment[] buffers) {
        long total = 0;
        for (MemorySegment buffer : buffers) {
            total += buffer.byteSize();
        }
        return total;
    }

    private void settle(long result, Posted posted) {
        if (PostResult.isPending(result)) {
            posted.id = result;
            pending++;
            return;
        }
        posted.error = PostResult.isRefused(result) ? (int) result : 0;
        posted.sizeBytes = PostResult.isRefused(result) ? 0 : result;
        ready.add(posted);
    }

    /** A post that throws is one of memory that cannot be used, or of a closed instance. */
    private void refuse(Posted posted, RuntimeException e) {
        ErrorCode code = e instanceof BmiException known ? known.code() : ErrorCode.EFAULT;
        posted.error = code.negativeValue();
        posted.sizeBytes = 0;
        ready.add(posted);
    }

    /**
     * Cancels an operation if it is pending; under the lock. Its outcome is told as always.
     *
     * @param posted which
     */
    public void cancel(Posted posted) {
        if (posted.id != 0 && !lost) {
            try {
                context.cancel(posted.id);
            } catch (BmiException e) {
                lose(e);
            }
        }
    }

    /**
     * How many operations are pending; under the lock.
     *
     * @return 0 or more
     */
    public int pending() {
        return pending;
    }

    /**
     * Makes one round of progress; waits if there is nothing to do. Only one thread at a time: this
     * returns at once if another one drives.
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
        }
    }

    /** Makes a short round of progress, or lets others. */
    public void driveOrPause() {
        if (driving.get()) {
            LockSupport.parkNanos(this, NS_PER_MS / 2);
        } else {
            driveOnce(1);
        }
    }

    private void round(long idleMs) {
        int count;
        try {
            count = context.testContext(outcomes, idleMs);
        } catch (BmiException e) {
            lose(e);
            return;
        }
        enter();
        try {
            for (int k = 0; k < count; k++) {
                pending--;
                if (outcomes.userData(k) instanceof Posted posted) {
                    tell(posted, outcomes.error(k), outcomes.sizeBytes(k));
                }
            }
            work.look();
            work.tick(clock.getAsLong());
        } catch (BmiException e) {
            lose(e);
        } finally {
            leave();
        }
    }

    private void lose(BmiException e) {
        enter();
        try {
            if (!lost) {
                lost = true;
                closed = true;
                work.lost(e.code().negativeValue());
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
        long startNs = System.nanoTime();
        Thread self = Thread.currentThread();
        boolean mayDrive = !self.isVirtual() || background == null;
        while (!awaited.isFinished() && !self.isInterrupted() && !lost) {
            long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                break;
            }
            if (mayDrive && driving.compareAndSet(false, true)) {
                try {
                    driveFor(awaited, startNs, timeoutNs);
                } finally {
                    endDrive();
                }
            } else {
                follow(awaited, self, leftNs, mayDrive);
            }
        }
        return awaited.isFinished();
    }

    private void driveFor(Awaited awaited, long startNs, long timeoutNs) {
        Thread self = Thread.currentThread();
        while (!awaited.isFinished() && !self.isInterrupted() && !lost) {
            long left = timeoutNs - (System.nanoTime() - startNs);
            if (left <= 0) {
                return;
            }
            round(Math.min(SLICE_MS, (left + NS_PER_MS - 1) / NS_PER_MS));
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
        if (Thread.currentThread() != background) {
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
                } while (!closed && followerCount == 0 && work.isBusy());
            } finally {
                endDrive();
            }
        }
    }

    boolean isBusy() {
        return work.isBusy();
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
