package org.jbmi.simulator.process;

import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.heap.HeapFull;

import java.util.ServiceConfigurationError;
import java.util.function.Supplier;

/**
 * A simulated process. Its threads are frames on the one real stack: a call that waits runs others
 * on top of it, and continues when they have returned.
 */
public abstract class SimProcess {
    private static final int LOOKS_LIKE_WAITING = 60;
    private static final int SLEEP_BUDGET = 40;
    private static final int FULL_AT_POST_PERCENT = 3;
    private static final int FEW_OBJECTS = 4;

    public final Schedule schedule;
    public final String name;
    public final NanoClock clock = this::nanoTime;
    public final Waiting waiting = new Sleep();
    public final SimThreads threads;
    public boolean isAlive;
    public boolean isClosing;
    private long closingSinceNs;

    /** How often it has begun to end normally. */
    public int closes;

    public boolean isHalfCopied;

    /** The number of its actions that have not returned. */
    public int frames;

    /** The number of actions that it has begun. */
    public long actions;

    /** Above 0 while none of its other threads may run, since a lock may be held. */
    public int exclusive;

    /** The number of frames that wait inside a call. */
    public int inCall;

    /** The frame that must not wait, since other frames wait for it; 0 for none. */
    private int waitlessFrame;

    /** The number of memory accesses until it ends; 0 for never. */
    public int crashIn;

    public FaultKind crashKind = FaultKind.CLIENT_CRASH;

    /** The number of objects until one finds no room in the heap; 0 for never. */
    public int heapFullIn;

    /** How many objects after that one find no room either. */
    public int heapFullFor;

    public long stoppedUntilStep;
    private int clockReads;
    public int incarnation;

    @SuppressWarnings("this-escape") // into what uses it later only
    protected SimProcess(Schedule schedule, String name) {
        this.schedule = schedule;
        this.name = name;
        this.threads = new SimThreads(this);
    }

    /** The process id; each incarnation has another one. */
    public abstract long pid();

    /** Called when it ends: its sockets break, and its threads release everything. */
    protected abstract void onDeath();

    /** Called when it has ended and has no frame on the stack any more. */
    protected abstract void onEnded();

    public boolean mayRun() {
        return isAlive && exclusive == 0 && schedule.steps >= stoppedUntilStep;
    }

    /** Runs one of its actions, in which it may crash. */
    @SuppressWarnings("ReferenceEquality") // identity of the process
    public final void run(Runnable action) {
        frames++;
        actions++;
        clockReads = 0;
        schedule.steps++;
        SimProcess below = schedule.running;
        schedule.running = this;
        try {
            action.run();
        } catch (SimCrash crash) {
            if (crash.process() != this) {
                throw crash;
            }
        } catch (HeapFull e) {
            heapWasFull(e);
        } catch (ServiceConfigurationError e) {
            if (e.getCause() instanceof HeapFull full) {
                heapWasFull(full);
            } else {
                throw e;
            }
        } catch (RuntimeException | InternalError | AssertionError e) {
            throw schedule.fail(this + " threw " + e, e);
        } finally {
            schedule.running = below;
            frames--;
            if (frames == 0 && !isAlive) {
                onEnded();
            }
        }
    }

    /** Runs the action that ends it normally. */
    protected final void closeBy(Runnable action) {
        isClosing = true;
        closes++;
        closingSinceNs = schedule.nowNs();
        run(action);
        isClosing = false;
    }

    /** Whether it has been ending normally for at least a time. */
    public final boolean closesFor(long ns) {
        return isClosing && schedule.nowNs() - closingSinceNs >= ns;
    }

    /** Called when an action has ended in an Error; a program goes on with the next action. */
    protected void heapWasFull(HeapFull error) {}

    /** Called before it makes an object. */
    final void allocates() {
        if (heapFullIn > 0 && --heapFullIn == 0) {
            if (heapFullFor > 0) {
                heapFullFor--;
                heapFullIn = 1;
            }
            schedule.note(() -> "no room in the heap of " + this + whereAllocated());
            throw new HeapFull();
        }
    }

    private static String whereAllocated() {
        StringBuilder where = new StringBuilder();
        StackTraceElement[] stack = new Throwable().getStackTrace();
        int named = 0;
        for (StackTraceElement each : stack) {
            boolean isOwn = each.getClassName().startsWith("org.jbmi.simulator.");
            if (isOwn && named > 0) {
                break;
            }
            if (!isOwn && named++ < 14) {
                where.append(", ").append(each);
            }
        }
        return where.toString();
    }

    /**
     * Lets one of the next objects find a full heap, in worlds with a full heap. Called before
     * posts, which make few objects, and more often if there is no pool memory, because the two
     * would rarely coincide.
     */
    protected final void mayFillHeap() {
        boolean mayBe = schedule.hasFullHeap() && schedule.isPosting && !schedule.isCalm();
        if (mayBe && schedule.dice.chance(FULL_AT_POST_PERCENT)) {
            schedule.cover(FaultKind.HEAP_FULL);
            heapFullIn = 1 + schedule.dice.below(FEW_OBJECTS);
            heapFullFor = schedule.dice.below(2);
        }
    }

    /** From now on all objects find room. */
    public final void heapHasRoom() {
        heapFullIn = 0;
        heapFullFor = 0;
    }

    /**
     * Runs a part of an action that must wait neither for an answer nor for room, because all
     * methods wait for it. An example is a deadline that passes.
     */
    protected final <T> T maybeWaiting(boolean mayWait, Supplier<T> part) {
        int before = waitlessFrame;
        waitlessFrame = mayWait ? 0 : frames;
        try {
            return part.get();
        } finally {
            waitlessFrame = before;
        }
    }

    private void checkMayWait() {
        if (frames > 0 && frames == waitlessFrame) {
            throw schedule.fail(this + " waits where nobody may wait for a host");
        }
    }

    /** Runs a part of an action during which no other thread of it may run. */
    protected final void alone(Runnable part) {
        exclusive++;
        try {
            part.run();
        } finally {
            exclusive--;
        }
    }

    public final void die(FaultKind kind) {
        if (!isAlive) {
            return;
        }
        schedule.cover(kind);
        schedule.note(() -> this + " ends" + (frames > 0 ? " in the middle of something" : ""));
        goDown();
    }

    /** Ends the process, with its parts that are simulated as other processes. */
    public final void goDown() {
        if (!isAlive) {
            return;
        }
        isAlive = false;
        crashIn = 0;
        onDeath();
        if (frames == 0) {
            onEnded();
        }
    }

    public final void checkAlive() {
        if (!isAlive) {
            throw new SimCrash(this);
        }
    }

    /** Called at each access of memory. */
    public final void touch() {
        checkAlive();
        if (crashIn > 0 && --crashIn == 0) {
            die(crashKind);
            throw new SimCrash(this);
        }
        schedule.accessed(this);
        checkAlive();
    }

    final long beginCopy(long lengthBytes) {
        touch();
        return lengthBytes / 2 & ~7L;
    }

    public final void halfCopied() {
        isHalfCopied = true;
        try {
            touch();
            schedule.halfCopied(this);
            checkAlive();
        } finally {
            isHalfCopied = false;
        }
    }

    private long nanoTime() {
        schedule.passNs(500);
        if (frames > 0) {
            checkAlive();
        }
        if (++clockReads > LOOKS_LIKE_WAITING) {
            waitedByTheClock();
        }
        return schedule.nowNs();
    }

    // It waits for other processes and polls the clock, as a close does.
    private void waitedByTheClock() {
        checkMayWait();
        schedule.passNs(1_000_000);
        alone(
                () -> {
                    lookUp();
                    schedule.others(this);
                });
        checkAlive();
    }

    /** It waits, but does not poll the clock. */
    final void sleeps() {
        checkMayWait();
        clockReads = 0;
    }

    /** How many turns other processes have before the sleep of one of its threads times out. */
    protected int patience() {
        return SLEEP_BUDGET;
    }

    /** The sleep of one of its threads times out, at a time to come. */
    protected void outOfPatience(long endNs) {
        schedule.passUntil(endNs);
    }

    /** Called when other processes have a turn while one of its threads sleeps. */
    protected void standBy() {
        schedule.others(this);
    }

    /** Whether its thread that is about to sleep is inside a waiting call. */
    protected boolean isInCall() {
        return true;
    }

    /** Whether one of its sleeping threads lower on the stack would go on and wake others. */
    protected boolean hasReadySleepers() {
        return false;
    }

    /** Whether a process that it must wait for is in the middle of an action lower on the stack. */
    public boolean isHostBusy() {
        return schedule.isHostBusy();
    }

    /** Called when one of its sleeping threads is woken. */
    protected void lookUp() {}

    @Override
    public String toString() {
        return name + "." + incarnation;
    }

    /** Sleeps and wakes as the schedule decides. */
    private final class Sleep implements Waiting {
        @Override
        public boolean await(SharedMemory memory, long offset, int expected, long timeoutNs) {
            if (memory.getIntVolatile(offset) != expected) {
                return true;
            }
            sleeps();
            inCall++;
            try {
                return schedule.sleep(SimProcess.this, memory, offset, expected, timeoutNs);
            } finally {
                inCall--;
            }
        }

        @Override
        public void wakeAll(SharedMemory memory, long offset) {
            checkAlive();
            schedule.wake(memory, offset);
        }
    }
}
