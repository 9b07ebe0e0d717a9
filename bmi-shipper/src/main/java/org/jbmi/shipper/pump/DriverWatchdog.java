package org.jbmi.shipper.pump;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks every millisecond whether the driving thread is still in the same code of the program, and
 * replaces it then. It begins with the first such code, and sleeps while there is none.
 *
 * <p>One number holds the state: positive while code runs, otherwise the negative number of the
 * last run. Either the running thread changes it from positive and goes on driving, or the watchdog
 * does and replaces that thread. A compare-and-set decides, so one thread drives.
 */
final class DriverWatchdog extends Thread {
    private static final long PERIOD_NS = 1_000_000;

    /** The watchdog is about to replace the driving thread. */
    private static final long REPLACING = Long.MIN_VALUE;

    /** It sleeps until called when no code ran for so many checks. */
    private static final int IDLE_LOOKS = 50;

    private final OwnThreads threads;
    private final AtomicLong state = new AtomicLong();
    private volatile boolean resting;

    /** Used by the driving thread. */
    private long last;

    private boolean started;
    private boolean hasFailed;

    DriverWatchdog(OwnThreads threads, String name) {
        super(name);
        setDaemon(true);
        this.threads = threads;
    }

    /** Called by the driving thread: code of the program begins. */
    long begin() {
        if (!started) {
            tryToStart();
        }
        long run = ++last;
        state.set(run);
        if (resting) {
            LockSupport.unpark(this);
        }
        return run;
    }

    // If there is no thread for it now, this code runs without it, and the next one tries again.
    private void tryToStart() {
        try {
            start();
            started = true;
        } catch (OutOfMemoryError e) {
            if (!hasFailed) {
                System.getLogger(DriverWatchdog.class.getName())
                        .log(System.Logger.Level.WARNING, "a watchdog could not be started", e);
            }
            hasFailed = true;
        }
    }

    /** Called by the same thread: that code has returned; false if another thread drives now. */
    boolean end(long run) {
        while (!state.compareAndSet(run, -run)) {
            if (state.get() != REPLACING && state.get() != run) {
                return false;
            }
            Thread.onSpinWait(); // starting a thread may fail, and then this one goes on
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
                resting = true; // a thread that begins code reads this afterwards
                if (state.get() == seen && !threads.isClosed()) {
                    LockSupport.park(this);
                }
                resting = false;
                idle = 0;
            }
        }
    }
}
