package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.EngineInbox;
import org.jbmi.zbmi.engine.Fault;
import org.jbmi.zbmi.link.Doorbell;
import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/**
 * The engine's thread: takes what peers and the sessions thread have sent, passes it to the engine,
 * sends what the engine says, and sleeps when there is nothing. It looks only at sessions that are
 * hot: that have rung, and have not been quiet since. It sleeps when all are cold.
 */
public final class EngineLoop implements Runnable {
    /** Longest sleep, so that an end is noticed and a lost wake-up would be no hang. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Most messages taken from a session before the next one has its turn. */
    private static final int BATCH = 32;

    private final Engine engine;
    private final EngineInbox inbox;
    private final SessionTable table;
    private final Doorbell doorbell;
    private final ControlRing control;
    private final HostCounters counters;
    private final ErrorLog errors;
    private final NanoClock clock;
    private final long spinNs;
    private final Runnable onFailure;
    private final int[] hot;
    private final boolean[] isHot;
    private final Message message = new Message();
    private int hotCount;
    private long patrolledNs;
    private volatile boolean closing;

    EngineLoop(
            Engine engine,
            SessionTable table,
            Doorbell doorbell,
            ControlRing control,
            HostCounters counters,
            HostContext context,
            long spinNs,
            Runnable onFailure) {
        this.engine = engine;
        this.inbox = new EngineInbox(engine);
        this.table = table;
        this.doorbell = doorbell;
        this.control = control;
        this.counters = counters;
        this.errors = context.errors();
        this.clock = context.clock();
        this.spinNs = Runtime.getRuntime().availableProcessors() > 1 ? spinNs : 0;
        this.onFailure = onFailure;
        this.hot = new int[table.sessionCount()];
        this.isHot = new boolean[table.sessionCount()];
        this.patrolledNs = clock.nanoTime();
    }

    /** From any thread: ends the loop soon. */
    public void stop() {
        closing = true;
        doorbell.wake();
    }

    @Override
    public void run() {
        long idleSinceNs = clock.nanoTime();
        try {
            while (!closing) {
                long now = clock.nanoTime();
                if (work(now) > 0) {
                    idleSinceNs = now;
                } else if (now - idleSinceNs < spinNs) {
                    Thread.onSpinWait();
                } else if (coolDown()) {
                    sleep(now);
                    idleSinceNs = clock.nanoTime();
                }
            }
        } catch (RuntimeException e) {
            // Its peers must not wait for an engine that is no more.
            onFailure.run();
            errors.record("The engine's thread failed: " + e);
            System.getLogger(EngineLoop.class.getName())
                    .log(System.Logger.Level.ERROR, "the engine's thread failed", e);
        } finally {
            table.closePorts();
        }
    }

    /** One round. Returns how much was done. */
    int work(long nowNs) {
        int work = control.poll(table) ? 1 : 0;
        takeRung();
        if (nowNs - patrolledNs >= SLICE_NS) {
            patrolledNs = nowNs;
            patrol();
        }
        for (int i = 0; i < hotCount; i++) {
            work += drain(hot[i], nowNs);
        }
        if (engine.nanosToNextDeadline(nowNs) == 0) {
            engine.tick(nowNs);
            work++;
        }
        // A session to which more was sent than its lane has room for must be looked at again.
        for (int i = 0; i < table.touchedCount(); i++) {
            heat(table.touched(i));
        }
        table.afterEvents();
        return work;
    }

    private void takeRung() {
        for (int word = 0; word < doorbell.words(); word++) {
            long bits = doorbell.takeRung(word);
            while (bits != 0) {
                heat(Doorbell.session(word, Long.numberOfTrailingZeros(bits)));
                bits &= bits - 1;
            }
        }
    }

    // A doorbell word is shared by many peers, and one that means no good can wipe off the bits of
    // others: so nobody depends on it for longer than a slice.
    private void patrol() {
        for (int session = 0; session < isHot.length; session++) {
            if (table.port(session) != null) {
                heat(session);
            }
        }
    }

    private void heat(int session) {
        if (!isHot[session]) {
            isHot[session] = true;
            hot[hotCount++] = session;
        }
    }

    private int drain(int session, long nowNs) {
        EnginePort port = table.port(session);
        if (port == null) {
            return 0;
        }
        int count = port.flush();
        if (count > 0) {
            table.touch(session);
        }
        for (int i = 0; i < BATCH; i++) {
            int result = port.poll(message);
            if (result == EnginePort.RECEIVED) {
                inbox.receive(session, message, nowNs);
                count++;
            } else {
                if (result == EnginePort.BROKEN) {
                    broken(session, port);
                    count++;
                }
                break;
            }
        }
        table.touch(session);
        return count;
    }

    private void broken(int session, EnginePort port) {
        @Nullable String reason = port.brokenReason();
        errors.record("A lane is corrupt: " + reason);
        table.fault(session, Fault.BROKEN_LANE);
    }

    /** Lets quiet sessions go. Returns true if all are cold, so that the engine may sleep. */
    boolean coolDown() {
        int kept = 0;
        for (int i = 0; i < hotCount; i++) {
            int session = hot[i];
            EnginePort port = table.port(session);
            if (port == null || port.goCold()) {
                isHot[session] = false;
            } else {
                hot[kept++] = session;
            }
        }
        hotCount = kept;
        return kept == 0;
    }

    private void sleep(long nowNs) {
        long timeoutNs = prepareSleep(nowNs);
        if (timeoutNs <= 0) {
            return;
        }
        try {
            counters.sleeps.addBySingleWriter(1);
            doorbell.sleep(timeoutNs);
        } finally {
            doorbell.finishSleep();
        }
    }

    /**
     * When all are cold: announces the sleep and looks once more.
     *
     * @return the longest sleep in nanoseconds, after which the doorbell must be told that it is
     *     over; 0 if the engine may not sleep
     */
    long prepareSleep(long nowNs) {
        long timeoutNs = Math.min(SLICE_NS, engine.nanosToNextDeadline(nowNs));
        if (timeoutNs <= 0 || !doorbell.prepareSleep()) {
            return 0;
        }
        if (control.isEmpty() && !closing) {
            return timeoutNs;
        }
        doorbell.finishSleep();
        return 0;
    }
}
