package org.jbmi.shipper.pump;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks every millisecond whether the thread that drives is still in the same code of the program,
 * and has it replaced then. It begins with the first such code, and sleeps when there is none.
 *
 * <p>One number says it all: positive while code runs, the negative number of what ran last
 * otherwise. Whoever changes it from positive, the thread that runs or this one, keeps or takes the
 * driving; so there is always one thread that drives, and never two.
 */
final class DriverWatchdog extends Thread {
    private static final long PERIOD_NS = 1_000_000;

    /** This one is about to replace the thread that drives. */
    private static final long REPLACING = Long.MIN_VALUE;

    /** It sleeps until it is called when nothing has run between so many looks. */
    private static final int IDLE_LOOKS = 50;

    private final OwnThreads threads;
    private final AtomicLong state = new AtomicLong();
    private volatile boolean resting;

    /** Of the thread that drives. */
    private long last;

    private boolean started;

    DriverWatchdog(OwnThreads threads, String name) {
        super(name);
        setDaemon(true);
        this.threads = threads;
    }

    /** By the thread that drives: code of the program begins. */
    long begin() {
        if (!started) {
            started = true;
            start();
        }
        long run = ++last;
        state.set(run);
        if (resting) {
            LockSupport.unpark(this);
        }
        return run;
    }

    /** By the same thread: that code is over; false if another thread drives now. */
    boolean end(long run) {
        while (!state.compareAndSet(run, -run)) {
            if (state.get() != REPLACING && state.get() != run) {
                return false;
            }
            Thread.onSpinWait(); // it may fail for want of a thread, and then this one goes on
        }
        return true;
    }

    @Override
    public void run() {
        long seen = 0;
        int idle = 0;
        while (!threads.isClosed()) {
            long now = state.get();
            if (now > 0 && now == seen && state.compareAndSet(now, REPLACING)) {
                boolean replaced = threads.replace();
                // Unless the other one runs something already.
                state.compareAndSet(REPLACING, replaced ? -now : now);
            }
            idle = now == seen ? idle + 1 : 0;
            seen = now;
            if (idle < IDLE_LOOKS) {
                LockSupport.parkNanos(this, PERIOD_NS);
            } else {
                resting = true; // whoever begins something looks at this afterwards
                if (state.get() == seen && !threads.isClosed()) {
                    LockSupport.park(this);
                }
                resting = false;
                idle = 0;
            }
        }
    }
}
