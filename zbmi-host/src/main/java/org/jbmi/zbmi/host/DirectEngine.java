package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.FreedBlocks;
import org.jbmi.zbmi.link.DoorbellRinger;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/*
 * Which thread polls the lanes of an engine that has no thread of its own.
 *
 *   attended     Callers run rounds in quick succession, so clients need not ring: the sleep word
 *                is 0, and a round only polls the hot lanes. The keeper checks this once in a
 *                tick, and takes over when no caller has led for a tick. With more work than a
 *                round takes, it helps for some ticks first, by a round each. While it ticks
 *                ("vigilant") a caller that returns from a sleep attends at once. It handles the
 *                event that woke it, and clients would ring for the keeper meanwhile.
 *   unattended   Every round ends with all sessions cold and with the sleep word set: to "on the
 *                word" if threads sleep there, else to "in a selector", where the keeper sleeps. A
 *                client that sends something rings, and wakes the one or the other.
 *
 * A client that sleeps is not woken only because a note of it has succeeded. It is told in the next
 * attended round, or earlier with another message, so a request and its reply wake it once. A
 * caller that goes to sleep, and the keeper, wake such clients at once.
 *
 * No message is lost at a change. From unattended to attended: the keeper is woken, so that it
 * ticks; attended implies ticking, and both change under the lock. From attended to unattended:
 * the caller that goes to sleep, or the keeper, makes all sessions cold and sets the word. It
 * then reads the lanes and the doorbell again, as the daemon does before it sleeps. A thread that
 * wakes up runs a round before it leaves, since the ring may have been for another thread. If
 * others still sleep, that round sets the word for them.
 */

/**
 * The engine in the process of its server: run by threads that call in, one at a time, and by the
 * {@link Keeper} when none does. A thread holds the lock for a round or for one request of the
 * server. It does not hold it while it waits or copies a message above the eager limit. The engine
 * calls the server with the lock held, so from there the server may call only {@link #end} and
 * {@link #wakeSleepers}, which take no lock.
 */
final class DirectEngine implements SessionEvent.Taker {
    /** How long callers may be away before the keeper takes over. */
    static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Rounds that follow each other within this time are in quick succession. Waking the keeper
     * takes about as long. A client that rings for it while the server works gains nothing, and the
     * server loses its processor to the keeper.
     */
    private static final long QUICK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private static final int QUICK_ROUNDS = 4;

    /**
     * In quick succession the clock is read once in this many rounds, and at the keeper's ticks.
     */
    private static final int ROUNDS_A_LOOK = 32;

    /**
     * A caller that was in no round for so long computes or waits elsewhere. Until then it may have
     * lost its processor: a keeper that led with more work than a round takes would keep that
     * processor.
     */
    private static final long ABSENCE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int REST_TRIES = 4;

    private final SpinLock lock = new SpinLock();
    private final FreedBlocks freed = new FreedBlocks();
    private final EngineRound round;
    private final DirectOutput output;
    private final SessionTable table;
    private final HostCounters counters;
    private final Doorbell doorbell;
    private final NanoClock clock;
    private final ErrorLog errors;
    private final long sliceNs;
    private @Nullable Runnable keeperWaker;

    private boolean isAttended;
    private boolean isVigilant;
    private int quickRounds;
    private long lastLedNs;
    private long nowNs;
    private int roundsSinceLook;

    /**
     * Whether a caller found the lock taken, freed something or asked for something since the
     * keeper leads. A keeper with more work than a round takes stops then: such a caller rarely
     * finds the lock free. Read and written without the lock.
     */
    private volatile boolean isLeadWanted;

    /** The number of callers' rounds, and the number that the keeper has seen. */
    private int roundsLed;

    private int roundsKnown;
    private boolean hasKeeperWake;
    private long keeperWakeNs;
    private volatile int sleepers;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private boolean isBroken;

    /**
     * Makes an engine of its parts.
     *
     * @param output gets the engine's output for the server; the object that the engine was made
     *     with
     */
    DirectEngine(EngineParts parts, DirectOutput output, HostContext context, long sliceNs) {
        this.output = output;
        this.sliceNs = sliceNs;
        this.round = parts.round();
        this.table = parts.table();
        this.counters = parts.counters();
        this.doorbell = parts.doorbell();
        this.clock = context.clock();
        this.errors = context.errors();
        this.lastLedNs = clock.nanoTime() - ABSENCE_NS;
    }

    /** Sets how to end the keeper's sleep on the sockets, or prevent the next one. */
    void use(Runnable newKeeperWaker) {
        keeperWaker = newKeeperWaker;
    }

    private void wakeKeeper() {
        Runnable waker = keeperWaker;
        if (waker != null) {
            waker.run();
        }
    }

    // Ends what began with lock.lock(). While rounds follow each other in quick succession, the
    // counters are written by the keeper, which ticks then.
    private void leave() {
        try {
            if (!isBroken) {
                if (isAttended) {
                    freed.open();
                } else {
                    counters.write();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Why it has stopped, or null. */
    @Nullable String failure() {
        return failure.get();
    }

    /** The server is attached, and gets the output from now on. */
    void opened(DoorEvents events) {
        Runnable sleepersWaker = this::wakeSleepers; // what may fail comes before the lock
        lock.lock();
        output.opened(events, sleepersWaker);
        leave();
    }

    // The time of a round. In quick succession it may be behind by some rounds, but never by more
    // than the keeper's tick, since any other thread reads the clock. While an operation has a
    // deadline it is exact.
    private long time() {
        boolean isNear = isAttended && ++roundsSinceLook < ROUNDS_A_LOOK && !round.hasDeadlines();
        return isNear ? nowNs : look();
    }

    private long look() {
        roundsSinceLook = 0;
        nowNs = clock.nanoTime();
        return nowNs;
    }

    /**
     * Passes a post to the engine. An immediate answer is in the post when this returns; a later
     * answer that the caller waits for is put there as well, until {@link #giveUp}.
     *
     * @return false if the engine has stopped
     */
    boolean post(ServerPost post, boolean isAwaited) {
        lock.lock();
        try {
            if (isBroken) {
                return false;
            }
            long now = post.expiryMs == ServerRequests.NEVER ? time() : look();
            takeFreed(now);
            output.begin(post);
            round.post(isAwaited, post, now);
            settle(now);
            output.end(post, isAwaited);
            return true;
        } catch (RuntimeException | Error e) {
            fail(e);
            return false;
        } finally {
            leave();
        }
    }

    /**
     * Sends a message, if it can be over at once.
     *
     * @return see {@link EngineDoor#sendAtOnce}
     */
    int sendAtOnce(
            int session, int generation, int tag, long offset, long bytes, Operation operation) {
        int outcome = EngineDoor.NOT_AT_ONCE;
        lock.lock();
        try {
            if (!isBroken) {
                long now = time();
                takeFreed(now);
                long sent = round.sendAtOnce(session, generation, tag, offset, bytes, now);
                outcome = sent == Engine.NOT_SENT ? outcome : outcomeOf(sent, operation);
                settle(now);
            }
        } catch (RuntimeException | Error e) {
            broken(e); // what has an owner ends with the session
        } finally {
            leave();
        }
        return outcome;
    }

    private int outcomeOf(long id, Operation operation) {
        if (id == Engine.SENT) {
            output.sentAtOnce();
            return EngineDoor.SENT;
        }
        long reference = output.inDoubt(operation, id);
        round.adopt(id, reference);
        return reference > 0 ? EngineDoor.IN_DOUBT : EngineDoor.UNDECIDED;
    }

    /** The caller waits no more for the answer to a post; returns whether it has come even so. */
    boolean giveUp(ServerPost post) {
        lock.lock();
        try {
            output.forget(post);
            return post.isAnswered();
        } finally {
            leave();
        }
    }

    /**
     * Passes another request of the server to the engine.
     *
     * @param kind of {@link ServerRequests}
     * @param first the reference of a cancel, or the offset of memory
     * @param second the zoid id of a cancel
     * @return the result of a cancel; {@link DirectOutput#NONE} if nothing is answered
     */
    int tell(int kind, long first, long second) {
        wantLead();
        lock.lock();
        try {
            if (isBroken) {
                return DirectOutput.NONE;
            }
            long now = time();
            takeFreed(now);
            round.tell(kind, first, second, now);
            settle(now);
            return output.takeAnswer();
        } catch (RuntimeException | Error e) {
            fail(e);
            return DirectOutput.NONE;
        } finally {
            leave();
        }
    }

    /** A caller's round; 0 if nothing was done, or another thread runs a round. */
    int lead() {
        if (!lock.tryLock()) {
            wantLead();
            return 0;
        }
        try {
            if (isBroken) {
                return 0;
            }
            long now = time();
            takeFreed(now);
            if (!isAttended) {
                quickRounds = now - lastLedNs < QUICK_NS ? quickRounds + 1 : 0;
                if (isVigilant || quickRounds >= QUICK_ROUNDS) {
                    attend();
                }
            }
            lastLedNs = now;
            roundsLed++;
            int work = isAttended ? round.workOn(now) : round.work(now);
            if (!isAttended) {
                rest(now);
            }
            return work;
        } catch (RuntimeException | Error e) {
            fail(e);
            return 0;
        } finally {
            leave();
        }
    }

    /**
     * Announces that the caller will sleep, then polls once more. If it does not return 0 and the
     * sleep is on the word, {@link #endSleep} must follow.
     *
     * @param onWord whether it will be in {@link #sleep}; else the keeper polls for it
     * @return the value to sleep with, or 0 if something was found and it must not sleep
     */
    int prepareSleep(boolean onWord) {
        lock.lock();
        try {
            if (isBroken) {
                return 0;
            }
            long now = look();
            takeFreed(now);
            round.work(now);
            isAttended = false;
            quickRounds = 0;
            countSleeper(onWord ? 1 : 0);
            int word = rest(now);
            if (word == 0) {
                countSleeper(onWord ? -1 : 0);
            } else {
                lastLedNs = now - ABSENCE_NS; // it waits for no processor
            }
            return word;
        } catch (RuntimeException | Error e) {
            fail(e);
            return 0;
        } finally {
            leave();
        }
    }

    private void countSleeper(int delta) {
        int now = sleepers;
        sleepers = now + delta;
    }

    /** Sleeps, after {@link #prepareSleep}; may return early. */
    void sleep(int word, long timeoutNs) {
        doorbell.sleep(word, timeoutNs);
    }

    /** After a {@link #prepareSleep} on the word that did not return 0. */
    void endSleep() {
        lock.lock();
        try {
            countSleeper(-1);
            if (isBroken) {
                return;
            }
            long now = look();
            if (isVigilant) {
                takeFreed(now);
                round.workOn(now);
                attend();
                return;
            }
            round.work(now);
            if (!isAttended) {
                rest(now);
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            leave();
        }
    }

    /** Ends the sleep of all threads of this process that are in {@link #sleep} or about to be. */
    void wakeSleepers() {
        if (sleepers > 0) {
            doorbell.wakeAnyway();
        }
    }

    /** How long the keeper may sleep, in milliseconds; 0 for ever. */
    long keeperSleepMs() {
        lock.lock();
        try {
            if (isVigilant) {
                return TimeUnit.NANOSECONDS.toMillis(TICK_NS);
            }
            long now = look();
            // A hostile peer, or one that was evicted, can clear the sleep word and wake no thread.
            long mostNs = round.hasPeers() ? sliceNs : Long.MAX_VALUE;
            long leftNs = Math.min(mostNs, round.nanosToNextDeadline(now));
            hasKeeperWake = leftNs != Long.MAX_VALUE;
            keeperWakeNs = now + leftNs;
            return hasKeeperWake ? TimeUnit.NANOSECONDS.toMillis(leftNs) + 1 : 0;
        } finally {
            leave();
        }
    }

    /**
     * The keeper has woken: it runs a round if no other thread has led since the last tick.
     *
     * @return whether it leads, since there was work and more may come soon; {@link #keepOn} must
     *     follow
     */
    boolean keep() {
        lock.lock();
        try {
            if (isBroken) {
                return false;
            }
            counters.write();
            long now = look();
            if (isVigilant && roundsLed != roundsKnown) {
                roundsKnown = roundsLed;
                return false;
            }
            boolean isTick = isVigilant;
            roundsKnown = roundsLed;
            isLeadWanted = false;
            isAttended = false;
            isVigilant = false;
            freed.close();
            takeFreed(now);
            int work = round.work(now);
            if (work > 0) {
                isVigilant = true;
                isAttended = true;
                doorbell.finishSleep();
            } else {
                rest(now);
            }
            boolean mayLackProcessor = isTick && now - lastLedNs < ABSENCE_NS;
            return work > 0 && !(mayLackProcessor && EngineRound.endsEarly(work));
        } catch (RuntimeException | Error e) {
            fail(e);
            return false;
        } finally {
            leave();
        }
    }

    /**
     * A further round of a keeper that leads.
     *
     * @param mayStop whether it was idle for long enough
     * @return how much was done, or -1 if it leads no longer
     */
    int keepOn(boolean mayStop) {
        lock.lock();
        try {
            if (isBroken) {
                return -1;
            }
            counters.write();
            long now = look();
            if (roundsLed != roundsKnown) {
                return -1;
            }
            takeFreed(now);
            int work = round.work(now);
            if (work == 0 && mayStop) {
                isAttended = false;
                isVigilant = false;
                rest(now);
                return -1;
            }
            return isLeadWanted && EngineRound.endsEarly(work) ? -1 : work;
        } catch (RuntimeException | Error e) {
            fail(e);
            return -1;
        } finally {
            leave();
        }
    }

    @Override
    public boolean tell(SessionEvent event, Connection connection) {
        lock.lock();
        try {
            if (isBroken) {
                return true;
            }
            takeFreed(look()); // they may lie in the session that a client wants
            event.apply(table, connection);
            settle(look());
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            leave();
        }
        return true;
    }

    /** Tells clients that sleep that their sockets are closed. Any thread may call this. */
    void tellEnds() {
        table.tellEnds();
    }

    /**
     * Takes note of freed memory, as {@link #tell} with a request to free it. Any thread may call
     * this.
     */
    boolean freedSoon(long offset) {
        wantLead();
        return freed.add(offset);
    }

    private void wantLead() {
        if (!isLeadWanted) {
            isLeadWanted = true;
        }
    }

    private void takeFreed(long nowNs) {
        while (freed.hasAny()) {
            round.tell(ServerRequests.UNEXPECTED_FREE, freed.take(), 0, nowNs);
        }
    }

    private void settle(long nowNs) {
        round.settle();
        if (isAttended) {
            return;
        }
        if (round.isHot()) {
            rest(nowNs);
        } else {
            planKeeper(nowNs);
        }
    }

    // Returns the sleep word, or 0 if there is so much work that a thread has to stay.
    private int rest(long nowNs) {
        freed.close();
        takeFreed(nowNs);
        for (int i = 0; i < REST_TRIES; i++) {
            if (round.coolDown()) {
                int how = sleepers > 0 ? DoorbellRinger.ON_WORD : DoorbellRinger.IN_SELECTOR;
                int word = doorbell.prepareSleep(how);
                if (word != 0) {
                    planKeeper(nowNs);
                    return word;
                }
            }
            round.work(nowNs);
        }
        attend();
        return 0;
    }

    private void attend() {
        isAttended = true;
        quickRounds = 0;
        doorbell.finishSleep();
        if (!isVigilant) {
            isVigilant = true;
            wakeKeeper();
        }
    }

    // The keeper serves deadlines while no caller does.
    private void planKeeper(long nowNs) {
        long leftNs = round.nanosToNextDeadline(nowNs);
        if (leftNs != Long.MAX_VALUE && (!hasKeeperWake || nowNs + leftNs - keeperWakeNs < 0)) {
            hasKeeperWake = true;
            keeperWakeNs = nowNs + leftNs;
            wakeKeeper();
        }
    }

    /** Stops the engine for a reason outside of it. Takes no lock. */
    void end(String reason) {
        failure.compareAndSet(null, reason);
        wakeKeeper();
    }

    /** Stops access to the memory; no thread is in it when this returns. */
    void close() {
        lock.lock();
        counters.write();
        freed.close();
        isBroken = true;
        lock.unlock();
    }

    // Its state may be half-changed: no thread uses it again.
    private void fail(Throwable e) {
        broken(e);
        if (e instanceof Error error && !(e instanceof VirtualMachineError)) {
            throw error; // a fault of the program: its caller must see it
        }
    }

    private void broken(Throwable e) {
        boolean isFirst = !isBroken;
        isBroken = true;
        failure.compareAndSet(null, "The engine failed.");
        try {
            if (isFirst) {
                failure.set("The engine failed: " + e);
                System.getLogger(DirectEngine.class.getName())
                        .log(System.Logger.Level.ERROR, "the engine failed", e);
                errors.record("The engine failed: " + e);
                counters.write();
            }
        } finally {
            wakeKeeper();
        }
    }
}
