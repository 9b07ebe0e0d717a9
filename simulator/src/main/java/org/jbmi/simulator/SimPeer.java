package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jbmi.zbmi.engine.EngineAudit;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.protocol.PeerRole;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A process with one half of the method, and a program that uses it from several threads. */
abstract class SimPeer extends SimProcess {
    static final int TAGS = 3;
    private static final int FINISHED_KEPT = 24;
    static final long SLEEP_NS = 50_000_000;

    @Nullable Method method;
    @Nullable SimHost host;
    boolean isWoken;
    final List<SimSocket> sockets = new ArrayList<>();
    @Nullable SimSocket socket;
    @Nullable Segment segment;
    @Nullable SessionArea area;
    long life;
    @Nullable SimLane lane;
    Waiter waiter = Waiter.NONE;
    boolean sleepsInSelector;
    private boolean isPrepared;
    private long sleepUntilNs;
    private long waitUntilNs;

    /** Queues in which a post is under way: another one there would have no place in the order. */
    final Set<Integer> busyQueues = new HashSet<>();

    final Set<Long> lives = new HashSet<>();
    final Deque<SimOp> posting = new ArrayDeque<>();
    final Deque<SimOp> finished = new ArrayDeque<>();

    SimPeer(World world, String name) {
        super(world, name);
    }

    abstract boolean isServer();

    abstract PeerRole role();

    /** One action of the program or the library; the daemon may run meanwhile. */
    abstract void step();

    /** A new half; attaches. */
    abstract Method open(SimHost newHost);

    final boolean lifeIs(long of) {
        return life == of;
    }

    /** Whether a life was one of this incarnation. */
    final boolean hadLife(long of) {
        return lives.contains(of);
    }

    /** Its operations are not checked any more. */
    final void taintLives() {
        lives.forEach(world.ledger::taint);
    }

    final Method half() {
        return Objects.requireNonNull(method, "nothing is open");
    }

    final Waitable waitable() {
        return Objects.requireNonNull(half().waitable());
    }

    /** Starts the process, which opens its half. */
    final void start() {
        incarnation++;
        if (incarnation > 1) {
            world.cover(isServer() ? FaultKind.SERVER_RESTART : FaultKind.CLIENT_RESTART);
        }
        isAlive = true;
        run(
                () ->
                        alone(
                                () -> {
                                    SimHost newHost = new SimHost(this, world.knobs());
                                    host = newHost;
                                    try {
                                        method = open(newHost);
                                    } catch (BmiException e) {
                                        checkFailure(e);
                                        world.note(() -> this + " cannot attach: " + e.code());
                                    }
                                }));
        if (isAlive && method == null) {
            isAlive = false;
            onDeath();
            onEnded();
        }
    }

    /** Sees why it could not open its half. */
    void checkFailure(BmiException failure) {}

    @Override
    void onDeath() {
        for (SimSocket each : sockets) {
            each.end();
        }
        for (SimOp op : world.ledger.pendingOf(this)) {
            world.ledger.abandon(op);
        }
    }

    @Override
    void onEnded() {
        method = null;
        host = null;
        socket = null;
        segment = null;
        area = null;
        lane = null;
        life = 0;
        waiter = Waiter.NONE;
        isPrepared = false;
        isClosing = false;
        exclusive = 0;
        inCall = 0;
        threads.forget();
        busyQueues.clear();
        posting.clear();
        lives.clear();
        finished.clear();
        sockets.clear();
    }

    @Override
    long pid() {
        return 1000L * incarnation + 2 + world.indexOf(this);
    }

    /** Attaches to a host. */
    final PeerAttachment attach(SimHosting host, String transport) {
        return new PeerHandshake(this, transport).with(host);
    }

    /** It is attached to a session. */
    final void attached(SimSocket mine, SimLane fresh) {
        socket = mine;
        area = fresh.area();
        begun(fresh);
    }

    /** A session begins. */
    final void begun(SimLane fresh) {
        lane = fresh;
        segment = fresh.segment();
        life = fresh.life();
        lives.add(life);
        SimOp reason = posting.peek(); // older ones went out in the session before
        if (reason != null) {
            reason.life = life;
        }
        world.note(() -> this + " is session " + fresh.area().session() + "." + fresh.generation());
    }

    /**
     * Something that no call waits for: may happen while the daemon is in the middle of a round.
     */
    void lightStep() {
        if (method != null && !isLaneTight()) {
            progressStep();
        }
    }

    /** Whether the lane toward the engine is nearly full: who sends might have to wait. */
    boolean isLaneTight() {
        SimLane own = lane;
        return own == null || own.isTight();
    }

    /** Whether it has asked to be woken when there is room in its lane. */
    final boolean wantsRoom() {
        SessionArea of = area;
        Segment in = segment;
        return of != null && in != null && in.raw().getIntVolatile(of.peerWantsCreditOffset()) != 0;
    }

    /** Whether its wish for room was taken, and the engine sleeps without having woken it. */
    final boolean isForgotten() {
        Segment in = segment;
        boolean isIdle = in != null && in.host().isAlive && in.host().isEngineAsleep();
        return isIdle && isOfDaemon() && !wantsRoom() && !hasUnheard();
    }

    /** Whether its session is one of the daemon that is there, and whole. */
    boolean isOfDaemon() {
        Segment in = segment;
        SimSocket on = socket;
        return in != null && on != null && !on.isOver() && !on.isClosed() && in.isServed();
    }

    /** Whether the segment tells a client what the engine would. */
    @SuppressWarnings("ReferenceEquality") // the very host
    final void checkWords(SimHosting host, EngineAudit audit) {
        SessionArea of = area;
        Segment in = segment;
        boolean isOfClient = isAlive && !isServer() && isOfDaemon();
        if (isOfClient && of != null && in != null && in.host() == host) {
            long word = in.raw().getLongVolatile(of.sendTagsOffset());
            audit.checkSendTags(of.session(), word);
        }
    }

    /** Whether a message of the engine has come that this peer has not read. */
    boolean hasUnread() {
        SimLane own = lane;
        return own != null && own.hasUnread();
    }

    /** Whether a message of this peer has not been read by the engine. */
    boolean hasUnheard() {
        SimLane own = lane;
        return own != null && own.hasUnheard();
    }

    /** One step of the thread that waits in test calls. */
    final void waitStep(boolean forLong) {
        run(() -> alone(() -> waitStepAlone(forLong)));
    }

    private void waitStepAlone(boolean forLong) {
        try {
            waitOnce(forLong);
        } catch (HeapFull e) {
            leaveWait();
            throw e;
        }
    }

    // As the core does when a method fails under its lead.
    private void leaveWait() {
        waiter = Waiter.NONE;
        try {
            if (isPrepared) {
                disarm();
            }
        } finally {
            waitable().endWait();
        }
    }

    final void disarm() {
        isPrepared = false;
        waitable().disarm();
    }

    private void waitOnce(boolean forLong) {
        Waitable now = waitable();
        switch (waiter) {
            case NONE -> {
                long ms = forLong ? 3_000_000 : 1 + world.dice.below(40);
                waitUntilNs = world.nowNs() + ms * 1_000_000;
                waiter = Waiter.AWAKE;
                now.beginWait(waitUntilNs);
            }
            case AWAKE -> awake(now);
            case ASLEEP -> {
                if (mayWake()) {
                    waiter = Waiter.AWAKE;
                    disarm();
                }
            }
            case IN_SLEEP -> {}
        }
    }

    private void awake(Waitable now) {
        if (world.nowNs() - waitUntilNs >= 0) {
            waiter = Waiter.NONE;
            now.endWait();
            return;
        }
        if (now.poll() > 0) {
            return;
        }
        boolean inSelector = world.dice.chance(25);
        isWoken = false;
        isPrepared = true;
        if (!now.arm(!inSelector)) {
            disarm(); // the core does, whatever the answer was
        } else {
            waiter = Waiter.ASLEEP;
            sleepsInSelector = inSelector;
            sleepUntilNs = world.nowNs() + SLEEP_NS;
            fallsAsleep(now.sleepsOn());
        }
    }

    /** The thread that waits in test calls sleeps from now on. */
    void fallsAsleep(SleepPlace place) {}

    /** Ends the sleep of the thread that waits in test calls. */
    void wakeLead() {
        isWoken = true;
    }

    /** Ends the wait of the program, if it waits. */
    final void endWait() {
        if (waiter == Waiter.ASLEEP) {
            wakeLead();
            waitStep(false);
        }
        if (waiter == Waiter.AWAKE) {
            waitUntilNs = world.nowNs();
            waitStep(false);
        }
    }

    @Override
    void lookUp() {
        Method now = method;
        if (waiter == Waiter.ASLEEP && now != null) {
            waiter = Waiter.AWAKE;
            try {
                disarm();
            } catch (HeapFull e) {
                leaveWait();
            }
        }
    }

    private boolean mayWake() {
        return isCalled() || world.nowNs() - sleepUntilNs >= 0;
    }

    /** Whether it was woken, or what it sleeps on besides the word calls it. */
    boolean isCalled() {
        SimSocket on = socket;
        return isWoken || (sleepsInSelector && on != null && on.isReadable());
    }

    /** Whether its program waits in a test call. */
    final boolean isWaiting() {
        return waiter != Waiter.NONE;
    }

    final boolean isAsleep() {
        return waiter == Waiter.IN_SLEEP || (waiter == Waiter.ASLEEP && !mayWake());
    }

    /** The engine has woken whoever sleeps on a word. */
    @SuppressWarnings("ReferenceEquality") // the very memory
    void wokenOn(SharedMemory raw, long offset) {
        SessionArea of = area;
        Segment in = segment;
        if (of != null
                && in != null
                && !sleepsInSelector
                && in.raw() == raw
                && of.peerSleepWordOffset() == offset) {
            isWoken = true;
        }
    }

    final void progressStep() {
        run(() -> waitable().poll());
    }

    /** Posts, and takes what comes at once. */
    final void post(SimOp op, int queue) {
        world.note(() -> this + " posts " + op);
        busyQueues.add(queue);
        posting.push(op);
        op.life = isServer() ? op.life : life;
        long result;
        try {
            result = half().post(op);
        } catch (HeapFull e) {
            world.ledger.threw(op);
            if (op.isPool) {
                finished.add(op);
            }
            throw e;
        } finally {
            posting.remove(op);
            busyQueues.remove(queue);
        }
        checkAlive(); // a half that ends its session for an Error also does so for this end
        if (result == Method.PENDING) {
            op.isPending = !op.isOver;
            op.postedAt = world.ledger.lastUid();
        } else {
            completed(op, result < 0 ? (int) result : 0, Math.max(0, result));
        }
    }

    void completed(SimOp op, int code, long bytes) {
        world.ledger.report(op, code, bytes);
        finished.add(op);
        while (finished.size() > FINISHED_KEPT) {
            checkUntouched(finished.remove());
        }
    }

    /**
     * Whether others may still be moving bytes of an operation that is over. Only a server cannot
     * know that has lost its daemon or gives up waiting in its close: it is not told any more. Its
     * program leaves such buffers alone.
     */
    final boolean isUnsure(SimOp op) {
        boolean isUntold = op.code == ErrorCode.EHOSTDOWN.negativeValue();
        return isServer() && isUntold && (isClosing || !isOfDaemon());
    }

    /** What a finished operation's buffers hold is the program's. */
    final void checkUntouched(SimOp op) {
        if (!isUnsure(op) && !op.isTainted && !op.isUntouched()) {
            throw world.fail("the buffer of " + op + " was touched after it was over");
        }
    }

    final void cancelStep() {
        List<SimOp> candidates = world.ledger.pendingOf(this);
        candidates.removeIf(op -> !op.isPending);
        if (candidates.isEmpty()) {
            return;
        }
        SimOp op = candidates.get(world.dice.below(candidates.size()));
        boolean isLate = op.hasDeadline() && op.isExpired(world.nowNs());
        int code = (isLate ? ErrorCode.ETIMEDOUT : ErrorCode.ECANCEL).negativeValue();
        run(() -> cancel(op, code));
    }

    final void cancel(SimOp op, int code) {
        world.note(() -> this + " cancels " + op);
        boolean mayWait = isServer() && code != ErrorCode.ETIMEDOUT.negativeValue();
        CancelOutcome outcome = maybeWaiting(mayWait, () -> half().cancel(op, op.id(), code));
        boolean mustBeOver = outcome == CancelOutcome.CANCELLED;
        if (mustBeOver && !op.isOver) {
            throw world.fail(op + " is cancelled and not over");
        }
    }

    /** Ends normally. */
    final void close() {
        if (!isAlive || frames > 0 || method == null) {
            return;
        }
        endWait();
        if (!isAlive || method == null) {
            return;
        }
        world.note(() -> this + " closes");
        closeBy(() -> alone(() -> half().close()));
        if (isAlive) {
            for (SimOp op : finished) {
                checkUntouched(op);
            }
            for (SimOp op : world.ledger.pendingOf(this)) {
                throw world.fail(op + " is pending after close");
            }
            closed();
            isAlive = false;
            onDeath();
            onEnded();
        }
    }

    /** Its half has closed all that it had. */
    void closed() {}

    /** Whether it is behind a gateway. */
    boolean isRemote() {
        return false;
    }

    abstract void arrived(
            MethodAddress from, int tag, int messageClass, MemorySegment bytes, long token);

    abstract void failed(MethodAddress address);
}
