package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.link.DoorbellRinger;

import java.util.concurrent.TimeUnit;

/**
 * The engine's thread in a daemon: runs rounds, takes the events of the sessions thread, and sleeps
 * when there is no work.
 */
public final class EngineLoop implements Runnable {
    /** Longest sleep, so that an end is noticed and a lost wake-up is a short delay. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EngineParts parts;
    private final EngineRound round;
    private final SessionTable table;
    private final Doorbell doorbell;
    private final ControlRing control;
    private final HostCounters counters;
    private final ErrorLog errors;
    private final NanoClock clock;
    private final WaitPolicy policy;
    private final Runnable onFailure;
    private int sleepWord;
    private volatile boolean closing;

    EngineLoop(
            EngineParts parts,
            ControlRing control,
            HostContext context,
            WaitPolicy policy,
            Runnable onFailure) {
        this.parts = parts;
        this.round = parts.round();
        this.table = parts.table();
        this.doorbell = parts.doorbell();
        this.control = control;
        this.counters = parts.counters();
        this.errors = context.errors();
        this.clock = context.clock();
        this.policy = policy;
        this.onFailure = onFailure;
    }

    /** From any thread: ends the loop soon. */
    public void stop() {
        closing = true;
        doorbell.wake();
    }

    @Override
    public void run() {
        long idleSinceNs = 0;
        long lookNs = 0;
        boolean isIdle = false;
        try {
            while (!closing) {
                long now = clock.nanoTime();
                if (work(now) > 0) {
                    policy.ended(isIdle && lookNs > 0, true);
                    isIdle = false;
                } else if (!isIdle) {
                    isIdle = true;
                    idleSinceNs = now;
                    lookNs = policy.lookNs();
                } else if (now - idleSinceNs < lookNs) {
                    policy.pause();
                } else if (round.coolDown()) {
                    policy.ended(lookNs > 0, false);
                    sleep(now);
                    isIdle = false;
                }
            }
        } catch (RuntimeException | Error e) {
            // Its peers must not wait for an engine that has stopped, whatever the reason.
            onFailure.run();
            System.getLogger(EngineLoop.class.getName())
                    .log(System.Logger.Level.ERROR, "the engine's thread failed", e);
            errors.record("The engine's thread failed: " + e);
        } finally {
            try {
                table.closePorts();
            } finally {
                parts.endRecording();
            }
        }
    }

    /** One round. Returns how much was done. */
    int work(long nowNs) {
        try {
            return (control.poll() ? 1 : 0) + round.work(nowNs);
        } finally {
            counters.write();
        }
    }

    private void sleep(long nowNs) {
        long timeoutNs = prepareSleep(nowNs);
        if (timeoutNs <= 0) {
            return;
        }
        try {
            counters.sleeps.addBySingleWriter(1);
            doorbell.sleep(sleepWord, timeoutNs);
        } finally {
            doorbell.finishSleep();
        }
    }

    /** Makes quiet sessions cold. Returns true if all are, so that the engine may sleep. */
    boolean coolDown() {
        return round.coolDown();
    }

    /**
     * When all are cold: announces the sleep and polls once more.
     *
     * @return the longest sleep in nanoseconds, after which the doorbell must be told that it is
     *     over; 0 if the engine may not sleep
     */
    long prepareSleep(long nowNs) {
        long timeoutNs = Math.min(SLICE_NS, round.nanosToNextDeadline(nowNs));
        sleepWord = timeoutNs <= 0 ? 0 : doorbell.prepareSleep(DoorbellRinger.ON_WORD);
        if (sleepWord == 0) {
            return 0;
        }
        if (control.isEmpty() && !closing) {
            return timeoutNs;
        }
        doorbell.finishSleep();
        return 0;
    }
}
