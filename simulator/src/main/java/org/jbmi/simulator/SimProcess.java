package org.jbmi.simulator;

import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.heap.HeapFull;

import java.util.ServiceConfigurationError;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A simulated process. Its threads are frames on the one real stack: a call that waits runs others
 * on top of it, and continues when they have returned.
 */
abstract class SimProcess {
    private static final int LOOKS_LIKE_WAITING = 60;
    private static final int SLEEP_BUDGET = 40;
    private static final int FULL_AT_POST_PERCENT = 3;
    private static final int FEW_OBJECTS = 4;

    final World world;
    final String name;
    final NanoClock clock = this::nanoTime;
    final Waiting waiting = new Sleep();
    final SimThreads threads;
    boolean isAlive;
    boolean isClosing;
    private long closingSinceNs;
    boolean isHalfCopied;

    /** Its actions that have not returned. */
    int frames;

    /** Actions that it has begun. */
    long actions;

    /** Above 0 while none of its other threads may run: a lock may be held. */
    int exclusive;

    /** Frames that wait inside a call. */
    int inCall;

    /** The frame that must not wait, since others wait for it; 0 for none. */
    private int waitlessFrame;

    /** Accesses of memory until it ends; 0 for never. */
    int crashIn;

    FaultKind crashKind = FaultKind.CLIENT_CRASH;

    /** Objects of it until one has no room in the heap; 0 for never. */
    int heapFullIn;

    /** How many after that one have none either. */
    int heapFullFor;

    long stoppedUntilStep;
    private int clockReads;
    int incarnation;

    SimProcess(World world, String name) {
        this.world = world;
        this.name = name;
        this.threads = new SimThreads(this);
    }

    /** Its process id: no two incarnations have the same. */
    abstract long pid();

    /** Its sockets break, and its threads hold nothing any more. */
    abstract void onDeath();

    /** It has ended and has no frame on the stack any more. */
    abstract void onEnded();

    boolean mayRun() {
        return isAlive && exclusive == 0 && world.steps >= stoppedUntilStep;
    }

    /** Runs an action of it, unless it crashes during the action. */
    @SuppressWarnings("ReferenceEquality") // the very process
    final void run(Runnable action) {
        frames++;
        actions++;
        clockReads = 0;
        world.steps++;
        SimProcess below = world.running;
        world.running = this;
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
            throw world.fail(this + " threw " + e, e);
        } finally {
            world.running = below;
            frames--;
            if (frames == 0 && !isAlive) {
                onEnded();
            }
        }
    }

    /** Runs the action by which it ends normally. */
    final void closeBy(Runnable action) {
        isClosing = true;
        closingSinceNs = world.nowNs();
        run(action);
        isClosing = false;
    }

    /** Whether it is ending normally, and has been for so long. */
    final boolean closesFor(long ns) {
        return isClosing && world.nowNs() - closingSinceNs >= ns;
    }

    /** An action of it has ended in an Error; a program goes on with the next one. */
    void heapWasFull(HeapFull error) {}

    /** It is about to make an object. */
    final void allocates() {
        if (heapFullIn > 0 && --heapFullIn == 0) {
            if (heapFullFor > 0) {
                heapFullFor--;
                heapFullIn = 1;
            }
            world.note(() -> "no room in the heap of " + this + whereAllocated());
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
     * In worlds whose heap is full at times: it may be so for one of the next objects. Before a
     * post, which makes few, and mostly where there is no memory: by themselves the two would
     * hardly meet.
     */
    final void mayFillHeap() {
        boolean mayBe = world.hasFullHeap && world.isPosting && !world.isCalm();
        if (mayBe && world.dice.chance(FULL_AT_POST_PERCENT)) {
            world.cover(FaultKind.HEAP_FULL);
            heapFullIn = 1 + world.dice.below(FEW_OBJECTS);
            heapFullFor = world.dice.below(2);
        }
    }

    /** All objects have room from now on. */
    final void heapHasRoom() {
        heapFullIn = 0;
        heapFullFor = 0;
    }

    /**
     * Runs a part of an action that may wait for nothing, neither for an answer nor for room: a
     * deadline passes while all methods wait.
     */
    final <T> T maybeWaiting(boolean mayWait, Supplier<T> part) {
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
            throw world.fail(this + " waits where nobody may wait for a host");
        }
    }

    /** Runs a part of an action during which no other thread of it may run. */
    final void alone(Runnable part) {
        exclusive++;
        try {
            part.run();
        } finally {
            exclusive--;
        }
    }

    final void die(FaultKind kind) {
        if (!isAlive) {
            return;
        }
        world.cover(kind);
        world.note(() -> this + " ends" + (frames > 0 ? " in the middle of something" : ""));
        goDown();
    }

    /** Ends, alone or with a part of it that is simulated as another process. */
    final void goDown() {
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

    final void checkAlive() {
        if (!isAlive) {
            throw new SimCrash(this);
        }
    }

    /** An access of memory. */
    final void touch() {
        checkAlive();
        if (crashIn > 0 && --crashIn == 0) {
            die(crashKind);
            throw new SimCrash(this);
        }
        world.accessed(this);
        checkAlive();
    }

    final long beginCopy(long lengthBytes) {
        touch();
        return lengthBytes / 2 & ~7L;
    }

    final void halfCopied() {
        isHalfCopied = true;
        try {
            touch();
            world.halfCopied(this);
            checkAlive();
        } finally {
            isHalfCopied = false;
        }
    }

    private long nanoTime() {
        world.passNs(500);
        if (frames > 0) {
            checkAlive();
        }
        if (++clockReads > LOOKS_LIKE_WAITING) {
            waitedByTheClock();
        }
        return world.nowNs();
    }

    // It waits for others by looking at the clock again and again, as a close does.
    private void waitedByTheClock() {
        checkMayWait();
        world.passNs(1_000_000);
        alone(
                () -> {
                    lookUp();
                    world.others(this);
                });
        checkAlive();
    }

    /** It waits in another way than by looking at the clock. */
    final void sleeps() {
        checkMayWait();
        clockReads = 0;
    }

    /**
     * Sleeps inside a call, on something else than a word.
     *
     * @param isReady what it sleeps for
     * @param isLost whether nobody wakes it
     */
    final void sleepUntil(BooleanSupplier isReady, BooleanSupplier isLost, long timeoutNs) {
        long endNs = world.nowNs() + Math.max(0, timeoutNs);
        int budget = SLEEP_BUDGET;
        sleeps();
        inCall++;
        try {
            while (!isReady.getAsBoolean()) {
                if (isHostBusy() || isLost.getAsBoolean() || budget-- == 0) {
                    world.passUntil(endNs);
                    return;
                }
                world.others(this);
                checkAlive();
                if (world.nowNs() - endNs >= 0) {
                    return;
                }
            }
            // Who is woken does not run at once.
            for (int late = world.dice.below(3); late > 0 && !isHostBusy(); late--) {
                world.others(this);
                checkAlive();
            }
        } finally {
            inCall--;
        }
    }

    /** How often others have a turn before a thread of it that sleeps has slept long enough. */
    int patience() {
        return SLEEP_BUDGET;
    }

    /** A thread of it has slept long enough, with the time still to come. */
    void outOfPatience(long endNs) {
        world.passUntil(endNs);
    }

    /** Others have a turn while a thread of it sleeps. */
    void standBy() {
        world.others(this);
    }

    /** Whether the thread of it that is about to sleep is inside a call that waits. */
    boolean isInCall() {
        return true;
    }

    /** Whether one of its sleeping threads below would go on, and let others go on with it. */
    boolean hasHeirs() {
        return false;
    }

    /** Whether those that it must wait for are in the middle of something below it. */
    boolean isHostBusy() {
        return world.daemon.isBusy() || world.door().isBusy();
    }

    /** A sleeping thread of it was woken. */
    void lookUp() {}

    @Override
    public String toString() {
        return name + "." + incarnation;
    }

    /** Sleeping and waking, as the schedule decides. */
    private final class Sleep implements Waiting {
        @Override
        public boolean await(SharedMemory memory, long offset, int expected, long timeoutNs) {
            if (memory.getIntVolatile(offset) != expected) {
                return true;
            }
            sleeps();
            inCall++;
            try {
                return world.wakes.sleep(SimProcess.this, memory, offset, expected, timeoutNs);
            } finally {
                inCall--;
            }
        }

        @Override
        public void wakeAll(SharedMemory memory, long offset) {
            checkAlive();
            world.wakes.woken(memory, offset);
        }
    }
}
