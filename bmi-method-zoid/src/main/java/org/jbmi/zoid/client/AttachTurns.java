package org.jbmi.zoid.client;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zoid.common.Attacher;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Only one thread of a client at a time attaches or changes the session. Other threads wait. This
 * wait counts against their own timeout. Any thread may call this.
 */
final class AttachTurns {
    private final ReentrantLock lock = new ReentrantLock();
    private final NanoClock clock;

    AttachTurns(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * Attaches in a turn of this thread.
     *
     * @param waitNs how long to wait for a host that is not there. The wait for other threads that
     *     attach is part of it. It does not end before a host had the time to answer them
     * @param attach attaches; it gets how much of the time is left, in nanoseconds, 0 at least
     * @throws BmiException with {@link ErrorCode#EINTR} if the thread is interrupted while it waits
     *     for its turn. With {@link ErrorCode#ENETDOWN} if it gets none in its time. Or that of the
     *     attempt
     */
    void attach(long waitNs, LongConsumer attach) {
        long startNs = clock.nanoTime();
        boolean isFirst = lock.tryLock();
        if (!isFirst) {
            await(waitNs);
        }
        long waitedNs = isFirst ? 0 : clock.nanoTime() - startNs;
        try {
            attach.accept(Math.max(0, waitNs - waitedNs));
        } catch (BmiException e) {
            throw isFirst || e.code() != ErrorCode.ENETDOWN ? e : afterOthers(waitedNs, e);
        } finally {
            lock.unlock();
        }
    }

    // The other thread may get the session of a slow host, which is this thread's as well.
    private void await(long waitNs) {
        long mostNs = Attacher.mostNs(waitNs);
        try {
            if (lock.tryLock(mostNs, TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Interrupts.endWaitFor("another thread that looks for a host");
        throw new BmiException(
                ErrorCode.ENETDOWN,
                "This thread has waited %d ms for another one, which still looks for a host: start the server, or a daemon with \"bin/zbmi serve\"."
                        .formatted(TimeUnit.NANOSECONDS.toMillis(mostNs)));
    }

    private static BmiException afterOthers(long waitedNs, BmiException failure) {
        return new BmiException(
                ErrorCode.ENETDOWN,
                "%s Before, it waited %d ms for other threads that looked for a host."
                        .formatted(failure.getMessage(), TimeUnit.NANOSECONDS.toMillis(waitedNs)),
                failure);
    }

    /** Waits for a turn as long as it takes. */
    void begin() {
        lock.lock();
    }

    /** Begins a turn if no thread has one. */
    boolean tryBegin() {
        return lock.tryLock();
    }

    /** Ends the turn of this thread. */
    void end() {
        lock.unlock();
    }
}
