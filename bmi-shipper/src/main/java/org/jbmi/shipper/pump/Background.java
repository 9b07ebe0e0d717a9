package org.jbmi.shipper.pump;

import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a pump. It drives when something is under way and no thread of the program has
 * waited for a while; otherwise it rests, and costs next to nothing.
 */
final class Background extends Thread {
    /** It rests for good when there was nothing to do for so many rests. */
    private static final int IDLE_RESTS = 50;

    private static final System.Logger LOG = System.getLogger(Background.class.getName());
    private static final long NS_PER_MS = 1_000_000;

    private final Pump pump;
    private final long lingerNs;
    private final boolean drives;
    private volatile boolean resting;

    /** One that drives already takes the place of a thread that did. */
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
            drive(pump::takeOver);
        }
        int idle = 0;
        while (!pump.isClosed() && pump.isOwnThread()) {
            if (!pump.isBusy()) {
                idle++;
                rest(idle);
            } else if (pump.alonePeriodNs() >= lingerNs) {
                idle = 0;
                drive(pump::driveAlone);
            } else {
                idle = 0;
                LockSupport.parkNanos(pump, lingerNs);
            }
        }
    }

    /** Whatever goes wrong, for want of memory for example, somebody must go on making progress. */
    private void drive(Runnable rounds) {
        try {
            rounds.run();
        } catch (RuntimeException | Error e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "A round of progress failed; the next one follows.",
                    e);
            LockSupport.parkNanos(pump, NS_PER_MS);
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

    boolean isOf(Pump other) {
        return pump == other;
    }
}
