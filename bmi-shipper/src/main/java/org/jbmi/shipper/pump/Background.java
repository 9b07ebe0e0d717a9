package org.jbmi.shipper.pump;

import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a pump. It drives when operations are pending and no thread of the program has
 * waited for a while; otherwise it sleeps.
 */
final class Background extends Thread {
    /** It sleeps without a timeout after so many idle sleeps. */
    private static final int IDLE_RESTS = 50;

    private static final long NS_PER_MS = 1_000_000;

    private final Pump pump;
    private final long lingerNs;
    private final boolean drives;
    private volatile boolean resting;
    private volatile boolean standingBy;

    /** With {@code drives} it drives from its beginning: it replaces a thread that did. */
    Background(Pump pump, String name, long lingerNs, boolean drives) {
        super(name);
        setDaemon(true);
        this.pump = pump;
        this.lingerNs = lingerNs;
        this.drives = drives;
    }

    @Override
    public void run() {
        if (drives) {
            drive(true);
        }
        int idle = 0;
        while (!pump.isClosed() && pump.isOwnThread()) {
            if (!pump.isBusy()) {
                idle++;
                rest(idle);
            } else if (pump.alonePeriodNs() >= lingerNs) {
                idle = 0;
                drive(false);
            } else {
                idle = 0;
                standBy();
            }
        }
        if (pump.isClosed()) {
            pump.runAgain(System.nanoTime() + Long.MAX_VALUE / 2);
        }
    }

    /** Whatever fails, for example for lack of memory, a thread must go on making progress. */
    private void drive(boolean takesOver) {
        try { // nothing is made outside of it, and so no lambda: the heap may be full
            if (takesOver) {
                pump.takeOver();
            } else {
                pump.driveAlone();
            }
        } catch (RuntimeException | Error e) {
            Pump.log(e);
            LockSupport.parkNanos(pump, NS_PER_MS);
        }
    }

    private void rest(int idle) {
        if (idle < IDLE_RESTS) {
            LockSupport.parkNanos(pump, Math.max(lingerNs, NS_PER_MS));
            return;
        }
        resting = true; // a thread that makes the pump busy reads this afterwards
        if (!pump.isBusy() && !pump.isClosed()) {
            LockSupport.park(pump);
        }
        resting = false;
    }

    /**
     * Another thread drives, or did a moment ago; without a linger time this one follows at once.
     */
    private void standBy() {
        if (lingerNs > 0) {
            LockSupport.parkNanos(pump, lingerNs);
            return;
        }
        standingBy = true; // a thread that stops driving reads this afterwards
        if (pump.alonePeriodNs() < lingerNs && !pump.isClosed()) {
            LockSupport.parkNanos(pump, Pump.SLICE_MS * NS_PER_MS);
        }
        standingBy = false;
    }

    /** No thread drives. */
    void takeTurn() {
        if (standingBy) {
            LockSupport.unpark(this);
        }
    }

    void kick() {
        if (resting) {
            LockSupport.unpark(this);
        }
    }

    boolean isOf(Pump other) {
        return pump == other;
    }
}
