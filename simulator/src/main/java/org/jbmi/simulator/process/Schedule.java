package org.jbmi.simulator.process;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.coverage.FaultKind;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Supplier;

/**
 * What simulated processes run in: the clock, the dice, the trace and the first failed check. A
 * subclass has the processes, and chooses which of them runs next.
 */
public abstract class Schedule {
    public final Dice dice = new Dice(0);
    private final @Nullable List<String> trace;
    private long nowNs = Long.MAX_VALUE - 20_000_000;
    public long steps;
    public boolean isPosting = true;

    /** The process whose code runs, at the top of the stack. */
    public @Nullable SimProcess running;

    /** How many actions of processes are interrupted by others. */
    protected int depth;

    private @Nullable Violation violation;

    /**
     * A schedule that has not begun.
     *
     * @param trace takes a line for each event; null for none
     */
    protected Schedule(@Nullable List<String> trace) {
        this.trace = trace;
    }

    /** Whether there are no faults. */
    public abstract boolean isCalm();

    /** Whether objects may find a full heap. */
    protected abstract boolean hasFullHeap();

    /** Whether a process that others must wait for is in the middle of an action. */
    protected abstract boolean isHostBusy();

    /** A fault happens. */
    public abstract void cover(FaultKind kind);

    /** Runs other processes while one is in the middle of an action. */
    public abstract void others(SimProcess running);

    /** Called between two actions of a process: others may run. */
    protected abstract void meanwhile(SimProcess process);

    /** Called at a memory access of a process: others may run. */
    protected abstract void accessed(SimProcess process);

    /** Called when a process has copied half of a message: many faults may happen now. */
    protected abstract void halfCopied(SimProcess process);

    /** Whether the wake-up that is under way is lost. */
    public abstract boolean losesWake();

    /**
     * A process sleeps on a word, inside a call; returns whether it was woken or need not sleep.
     */
    protected abstract boolean sleep(
            SimProcess sleeper, SharedMemory memory, long offset, int expected, long timeoutNs);

    /** Wakes the processes that sleep on a word. */
    protected abstract void wake(SharedMemory memory, long offset);

    /** The first failed check. */
    public final @Nullable Violation violation() {
        return violation;
    }

    public final Violation fail(String sentence) {
        return fail(sentence, null);
    }

    public final Violation fail(String sentence, @Nullable Throwable cause) {
        Violation known = violation;
        if (known != null) {
            return known;
        }
        Violation fresh = cause == null ? new Violation(sentence) : new Violation(sentence, cause);
        violation = fresh;
        note(() -> "VIOLATION: " + sentence);
        return fresh;
    }

    public final void note(Supplier<String> line) {
        List<String> to = trace;
        if (to != null) {
            to.add("%8d %s%s".formatted(steps, "  ".repeat(depth), line.get()));
        }
    }

    /** Runs an action that belongs to no process. */
    public final void aside(Runnable action) {
        SimProcess below = leave();
        try {
            action.run();
        } finally {
            running = below;
        }
    }

    /** From now on no process runs: objects of the world itself find room in the heap. */
    public final @Nullable SimProcess leave() {
        SimProcess below = running;
        running = null;
        return below;
    }

    /** Called before the running process makes an object. */
    public final void allocates() {
        SimProcess now = running;
        if (now != null) {
            now.allocates();
        }
    }

    /** The time; at the beginning it is close to its overflow. */
    public final long nowNs() {
        return nowNs;
    }

    public final void passNs(long ns) {
        nowNs += ns;
    }

    /** Passes time until a moment, unless it is over: time never goes back. */
    public final void passUntil(long endNs) {
        if (endNs - nowNs > 0) {
            nowNs = endNs;
        }
    }
}
