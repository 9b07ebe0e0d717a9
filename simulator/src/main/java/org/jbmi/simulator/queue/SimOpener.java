package org.jbmi.simulator.queue;

import org.jbmi.simulator.process.SimCrash;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.channel.chronicle.QueueFiles;
import org.jspecify.annotations.Nullable;

import java.util.Deque;

/**
 * A thread of the daemon that opens the queues of one session. It is simulated as a process of its
 * own, so that the engine can run in the middle of it; both start and end together.
 */
final class SimOpener extends SimProcess implements QueueFiles.Opening {
    private static final int LATE_PERCENT = 10;

    private final SimProcess daemon;
    private final Deque<SimOpener> unbegun;
    private final Deque<SimOpener> running;
    private @Nullable Runnable opening;

    /**
     * Makes a thread that has not begun.
     *
     * @param daemon the process of the thread
     * @param running those on the stack, the uppermost first
     */
    SimOpener(
            SimProcess daemon,
            Runnable opening,
            Deque<SimOpener> unbegun,
            Deque<SimOpener> running) {
        super(daemon.schedule, "opener of " + daemon);
        this.daemon = daemon;
        this.opening = opening;
        this.unbegun = unbegun;
        this.running = running;
        this.isAlive = true;
        unbegun.add(this);
    }

    @Override
    public long pid() {
        return daemon.pid();
    }

    void step() {
        unbegun.remove(this);
        run(this::open);
        isAlive = false;
    }

    private void open() {
        Runnable now = opening;
        opening = null;
        if (now == null) {
            return;
        }
        schedule.note(() -> this + " begins");
        running.push(this);
        try {
            now.run();
            schedule.note(() -> this + " has ended");
        } catch (SimCrash crash) {
            throw crash.process().equals(daemon) ? new SimCrash(this) : crash;
        } finally {
            running.remove(this);
        }
    }

    // It is lower on the stack, or has not begun. In both cases it may take too long.
    @Override
    public boolean await(long timeoutMs) {
        if (opening != null && !schedule.dice.chance(LATE_PERCENT)) {
            step();
            daemon.checkAlive();
        }
        if (isAlive) {
            schedule.note(() -> daemon + " waits for " + this + " in vain");
            schedule.passNs(timeoutMs * 1_000_000);
        }
        return !isAlive;
    }

    @Override
    protected void onDeath() {
        unbegun.remove(this);
    }

    @Override
    protected void onEnded() {
        opening = null;
    }
}
