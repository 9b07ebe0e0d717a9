package org.jbmi.shipper.pump;

import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * The pump's own thread, which drives when no thread of the program does. It may run code of the
 * program in between. If that takes too long another thread replaces it, so that code that hangs
 * delays nothing else. The replaced thread ends when its code returns.
 */
final class OwnThreads {
    private final Pump pump;
    private final String name;
    private final long lingerNs;
    private final DriverWatchdog watchdog;
    private volatile Background current;

    /** Replaced threads, which may still run their code, and one that could not be replaced. */
    private final CopyOnWriteArrayList<Background> replaced = new CopyOnWriteArrayList<>();

    OwnThreads(Pump pump, String name, long lingerNs) {
        this.pump = pump;
        this.name = name;
        this.lingerNs = lingerNs;
        this.watchdog = new DriverWatchdog(this, name + "-watchdog");
        this.current = new Background(pump, name, lingerNs, false);
    }

    void start() {
        current.start();
    }

    boolean isCurrent(Thread thread) {
        return thread == current;
    }

    void kick() {
        current.kick();
    }

    void takeTurn() {
        current.takeTurn();
    }

    // ------------------------------------------------------------------ code of the program

    /**
     * The own thread begins to run code of the program; {@link #end} must follow with the result.
     */
    long begin() {
        return watchdog.begin();
    }

    /** The code has returned; false if another thread drives now. */
    boolean end(long run) {
        return watchdog.end(run);
    }

    boolean isClosed() {
        return pump.isClosed();
    }

    /** Replaces the driving thread by another; false if no thread could be started. */
    boolean replace() {
        Background before = current;
        try {
            Background next = new Background(pump, name, lingerNs, true);
            replaced.removeIf(each -> !each.isAlive());
            replaced.addIfAbsent(before);
            current = next;
            next.start();
            return true;
        } catch (RuntimeException | Error e) { // there is no memory, or no thread
            current = before;
            return false;
        }
    }

    // ------------------------------------------------------------------ the end

    /** Waits until they have ended, for a limited time; the pump is closed. */
    void end(Duration patience) {
        long endNs = System.nanoTime() + patience.toNanos();
        boolean interrupted = join(watchdog, endNs); // from here on no thread is replaced
        interrupted |= join(current, endNs);
        for (Thread each : replaced) {
            interrupted |= join(each, endNs);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean join(Thread thread, long endNs) {
        boolean interrupted = false;
        if (thread.equals(Thread.currentThread())) {
            return false;
        }
        LockSupport.unpark(thread);
        long leftNs = endNs - System.nanoTime();
        while (thread.isAlive() && leftNs > 0) {
            try {
                thread.join(Duration.ofNanos(leftNs));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            leftNs = endNs - System.nanoTime();
        }
        return interrupted;
    }
}
