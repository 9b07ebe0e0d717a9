package org.jbmi.shipper.pump;

import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Posts operations on a context, and keeps outcomes of operations that completed in the post until
 * they are reported. Contains the pump's lock, which guards it, and the mark of who drives.
 */
abstract class Posting {
    static final System.Logger LOG = System.getLogger(Pump.class.getName());

    /**
     * A post is made under the lock, for one of many peers: it must not wait until that peer has
     * moved the bytes.
     */
    private static final PostOptions OPTIONS = PostOptions.NONE.withoutWaiting();

    private static final int BATCH = 64;

    final CompletionContext context;
    final ReentrantLock lock = new ReentrantLock();
    private final Pump.Held held = this::leave;
    int pending;

    /** The thread that drives, if one does. */
    final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();

    /** Whether an action waits and its thread drives on inside it; of the thread that drives. */
    boolean drivesInAction;

    private final IntrusiveQueue<Posted> ready = new IntrusiveQueue<>();

    /** Actions to be run when the lock is released; a chain in their order. */
    private @Nullable Later firstLater;

    private @Nullable Later lastLater;

    /** Outcomes that the context has given out; of the thread that drives. */
    private final Completions outcomes = Completions.ofCapacity(BATCH);

    /** How many outcomes these are, and how many of them were told. */
    private int taken;

    private int told;

    Posting(CompletionContext context) {
        this.context = context;
    }

    /** The context has failed and cannot be used any more. */
    abstract void lose(BmiException e);

    /** This thread drives from now on, unless another one does. */
    final boolean beginDrive() {
        return driver.compareAndSet(null, Thread.currentThread());
    }

    final boolean isDriver() {
        return Thread.currentThread().equals(driver.get());
    }

    /** Whether this thread drives inside an action: it leaves the next ones for later. */
    private boolean isInAction() {
        return isDriver() && drivesInAction;
    }

    /** Holds the lock until it is closed; always the same object: the heap may be full. */
    public final Pump.Held held() {
        lock.lock();
        return held;
    }

    /** Takes the lock; reentrant. */
    public final void enter() {
        lock.lock();
    }

    /** Releases the lock; the last release reports outcomes first. */
    public final void leave() {
        if (lock.getHoldCount() > 1) {
            lock.unlock();
            return;
        }
        Later due = null;
        try {
            tellReady();
            if (firstLater != null && !isInAction()) {
                due = firstLater;
                firstLater = null;
                lastLater = null;
            }
        } finally {
            lock.unlock();
        }
        while (due != null) {
            Later behind = due.next;
            due.next = null;
            run(due);
            due = behind;
        }
    }

    /** Runs an action after the lock was released; under the lock. */
    public final void later(Later action) {
        Later before = lastLater;
        if (before == null) {
            firstLater = action;
        } else {
            before.next = action;
        }
        lastLater = action;
    }

    /** Whether an action waits, for example one that found no memory; a guess without the lock. */
    final boolean hasLater() {
        return firstLater != null;
    }

    /** Runs the actions that wait, unless this thread holds the lock. */
    final void runLater() {
        if (hasLater()) {
            enter();
            leave();
        }
    }

    private void run(Later later) {
        try {
            later.action.run();
        } catch (OutOfMemoryError e) { // who waits for it must not wait for ever
            lock.lock(); // no hold, whose end would run it at once, without end
            try {
                later(later); // for the next time
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException | Error e) { // the others run as well
            log(e);
        }
    }

    /** Logs a failure, or nothing if that fails as well: a logger's first use needs memory. */
    static void log(Throwable failure) {
        try {
            LOG.log(System.Logger.Level.ERROR, "A step failed; the next ones follow.", failure);
        } catch (RuntimeException | Error e) {
            // The steps behind it are taken all the same.
        }
    }

    private void tellReady() {
        Posted posted = ready.poll();
        while (posted != null) {
            tell(posted, posted.error, posted.sizeBytes);
            posted = ready.poll();
        }
    }

    /** Takes outcomes, when the earlier ones are told; by the thread that drives. */
    final void take(long idleMs) {
        keep(context.testContext(outcomes, idleMs));
    }

    /** Takes the outcomes that are known without making progress, as {@link #take}. */
    final void takeKnown() {
        keep(context.collect(outcomes));
    }

    private void keep(int count) {
        told = 0;
        taken = count;
    }

    /** Whether outcomes were taken and are not told yet; by the thread that drives. */
    final boolean hasTaken() {
        return told < taken;
    }

    /**
     * Tells the outcomes that were taken; by the thread that drives. If that fails, a further call
     * tells the others: the context gives each of them out only once.
     */
    final void tellTaken() {
        try (var _ = held()) {
            while (hasTaken()) {
                int k = told++;
                pending--;
                if (outcomes.userData(k) instanceof Posted posted) {
                    tell(posted, outcomes.outcome(k).negativeValue(), outcomes.sizeBytes(k));
                }
            }
        }
    }

    static void tell(Posted posted, int error, long sizeBytes) {
        posted.id = 0;
        PostedSet<?> set = posted.set;
        if (set != null) {
            set.remove(posted);
        }
        try {
            posted.done(error, sizeBytes);
        } catch (RuntimeException | Error e) { // it belongs to this action: the others run as well
            log(e);
        }
    }

    /** Posts a receive; under the lock. */
    public void receive(PeerAddress peer, MemorySegment[] buffers, int tag, Posted posted) {
        if (buffers.length == 1) {
            receive(peer, buffers[0], tag, posted);
            return;
        }
        try {
            settle(
                    context.postReceiveList(peer, buffers, total(buffers), tag, posted, OPTIONS),
                    posted);
        } catch (RuntimeException | Error e) {
            refuse(posted, e);
        }
    }

    /** Posts a receive into one buffer; under the lock. */
    public void receive(PeerAddress peer, MemorySegment buffer, int tag, Posted posted) {
        try {
            settle(context.postReceive(peer, buffer, tag, posted, OPTIONS), posted);
        } catch (RuntimeException | Error e) {
            refuse(posted, e);
        }
    }

    /** Posts an expected send; under the lock. */
    public void send(PeerAddress peer, MemorySegment[] buffers, int tag, Posted posted) {
        if (buffers.length == 1) {
            send(peer, buffers[0], tag, false, posted);
            return;
        }
        try {
            settle(
                    context.postSendList(peer, buffers, total(buffers), tag, posted, OPTIONS),
                    posted);
        } catch (RuntimeException | Error e) {
            refuse(posted, e);
        }
    }

    /**
     * Posts a message of one buffer; under the lock.
     *
     * @param unexpected whether it is one that needs no receive
     */
    public void send(
            PeerAddress peer, MemorySegment buffer, int tag, boolean unexpected, Posted posted) {
        try {
            settle(
                    unexpected
                            ? context.postSendUnexpected(peer, buffer, tag, 0, posted, OPTIONS)
                            : context.postSend(peer, buffer, tag, posted, OPTIONS),
                    posted);
        } catch (RuntimeException | Error e) {
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
        posted.refusal = 0;
        if (PostResult.isPending(result)) {
            posted.id = result;
            pending++;
            return;
        }
        posted.error = PostResult.isRefused(result) ? (int) result : 0;
        posted.sizeBytes = PostResult.isRefused(result) ? 0 : result;
        ready.addLast(posted);
    }

    /**
     * A post throws if its memory cannot be used, the heap is full, or the instance is closed. Its
     * outcome comes like that of any other, so that nobody waits for it.
     */
    private void refuse(Posted posted, Throwable e) {
        ErrorCode other = e instanceof Error ? ErrorCode.EIO : ErrorCode.EFAULT;
        posted.refusal = Wire.codeOf(e, other).negativeValue();
        posted.error = posted.refusal;
        posted.sizeBytes = 0;
        ready.addLast(posted);
    }

    /** Cancels an operation if it is pending; under the lock. Its outcome is reported as usual. */
    public void cancel(Posted posted) {
        if (posted.id != 0) {
            try {
                context.cancel(posted.id);
            } catch (BmiException e) {
                lose(e);
            }
        }
    }

    /** How many operations are pending; under the lock. */
    public int pending() {
        return pending;
    }
}
