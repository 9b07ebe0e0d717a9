package org.jbmi.shipper.pump;

import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a pump. It drives when something is under way and no thread of the program has
 * waited for a while; otherwise it rests, and costs next to nothing.
 */
final class Background extends Thread {
    /** It rests for good when there was nothing to do for so many rests. */
    private static final int IDLE_RESTS = 50;

    private static final long NS_PER_MS = 1_000_000;

    private final Pump pump;
    private final long lingerNs;
    private volatile boolean resting;

    Background(Pump pump, String name, long lingerNs) {
        super(name);
        setDaemon(true);
        this.pump = pump;
        this.lingerNs = lingerNs;
    }

    @Override
    public void run() {
        int idle = 0;
        while (!pump.isClosed()) {
            if (!pump.isBusy()) {
                idle++;
                rest(idle);
            } else if (pump.alonePeriodNs() >= lingerNs) {
                idle = 0;
                pump.driveAlone();
            } else {
                idle = 0;
                LockSupport.parkNanos(pump, lingerNs);
            }
        }
    }

    private void rest(int idle) {
        if (idle < IDLE_RESTS) {
            LockSupport.parkNanos(pump, Math.max(lingerNs, NS_PER_MS));
            return;
        }
        resting = true; // whoever makes it busy looks at this afterwards
        if (!pump.isBusy() && !pump.isClosed()) {
            LockSupport.park(pump);
        }
        resting = false;
    }

    void kick() {
        if (resting) {
            LockSupport.unpark(this);
        }
    }

    void end(long waitMs) {
        LockSupport.unpark(this);
        if (Thread.currentThread() == this) {
            return;
        }
        boolean interrupted = false;
        long endNs = System.nanoTime() + waitMs * NS_PER_MS;
        while (isAlive() && endNs - System.nanoTime() > 0) {
            try {
                join(Math.max(1, (endNs - System.nanoTime()) / NS_PER_MS));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
