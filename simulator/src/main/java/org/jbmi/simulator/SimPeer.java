package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.process.Waiter;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.engine.EngineAudit;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
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

    final World world;
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

    /** Queues in which a post is under way: a second post would have no defined order. */
    final Set<Integer> busyQueues = new HashSet<>();

    final Set<Long> lives = new HashSet<>();
    final Deque<SimOp> posting = new ArrayDeque<>();
    final Deque<SimOp> finished = new ArrayDeque<>();

    SimPeer(World world, String name) {
        super(world, name);
        this.world = world;
    }

    abstract boolean isServer();

    abstract PeerRole role();

    /** One action of the program or the library; the daemon may run in the middle of it. */
    abstract void step();

    /** Opens a new half, which attaches. */
    abstract Method open(SimHost newHost);

    final boolean lifeIs(long of) {
        return life == of;
    }

    /** Whether a life belongs to this incarnation. */
    final boolean hadLife(long of) {
        return lives.contains(of);
    }

    /** Ends the checks of its operations. */
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

    /** Checks the reason for which it could not open its half. */
    void checkFailure(BmiException failure) {}

    @Override
    protected void onDeath() {
        sockets.forEach(SimSocket::end);
        world.ledger.pendingOf(this).forEach(world.ledger::abandon);
    }

    @Override
    protected void onEnded() {
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
    public long pid() {
        return 1000L * incarnation + 2 + world.indexOf(this);
    }

    /** Attaches to a host. */
    final PeerAttachment attach(SimHosting host, String transport) {
        return new PeerHandshake(this, transport).with(host);
    }

    /** Takes the session that it is attached to. */
    final void attached(SimSocket mine, SimLane fresh) {
        socket = mine;
        area = fresh.area();
        begun(fresh);
    }

    /** Begins a session. */
    final void begun(SimLane fresh) {
        lane = fresh;
        segment = fresh.segment();
        life = fresh.life();
        lives.add(life);
        SimOp reason = posting.peek(); // older ones were sent in the session before
        if (reason != null) {
            reason.life = life;
        }
        world.note(() -> this + " is session " + fresh.area().session() + "." + fresh.generation());
    }

    /** An action that no call waits for; it may happen in the middle of a round of the daemon. */
    void lightStep() {
        if (method != null && !isLaneTight()) {
            progressStep();
        }
    }

    /** Whether the lane to the engine is nearly full, so that a sender may have to wait. */
    boolean isLaneTight() {
        return lane == null || lane.isTight();
    }

    /** Whether it has asked for a wake-up when its lane has room. */
    final boolean wantsRoom() {
        SessionArea of = area;
        Segment in = segment;
        return of != null && in != null && in.raw().getIntVolatile(of.peerWantsCreditOffset()) != 0;
    }

    /** Whether the engine has read its request for room, and sleeps without having woken it. */
    final boolean isForgotten() {
        Segment in = segment;
        boolean isIdle = in != null && in.host().isAlive && in.host().isEngineAsleep();
        return isIdle && isOfDaemon() && !wantsRoom() && !hasUnreceived();
    }

    /** Whether its session belongs to the current daemon and works. */
    boolean isOfDaemon() {
        Segment in = segment;
        SimSocket on = socket;
        return in != null && on != null && !on.isOver() && !on.isClosed() && in.isServed();
    }

    /** Checks that the words in the segment agree with the engine. */
    @SuppressWarnings("ReferenceEquality") // identity of the host
    final void checkWords(SimHosting host, EngineAudit audit) {
        Segment in = segment;
        boolean isOfClient = isAlive && !isServer() && isOfDaemon();
        if (isOfClient && lane != null && in != null && in.host() == host) {
            lane.checkWords(audit, frames == 0);
        }
    }

    /** Whether there is a message of the engine that this peer has not read. */
    boolean hasUnread() {
        return lane != null && lane.hasUnread();
    }

    /** Whether there is a message of this peer that the engine has not read. */
    boolean hasUnreceived() {
        return lane != null && lane.hasUnreceived();
    }

    /** Runs one step of the thread that waits in test calls. */
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

    // The core does the same when a method fails under its lead.
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
            disarm(); // the core does so after each answer
        } else {
            waiter = Waiter.ASLEEP;
            sleepsInSelector = inSelector;
            sleepUntilNs = world.nowNs() + SLEEP_NS;
            fallsAsleep(now.sleepsOn());
        }
    }

    /** The thread that waits in test calls begins to sleep. */
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
    protected void lookUp() {
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

    /** Whether it was woken, on the word or in another place. */
    boolean isCalled() {
        SimSocket on = socket;
        return isWoken || (sleepsInSelector && on != null && on.isReadable());
    }

    /** Whether the program waits in a test call. */
    final boolean isWaiting() {
        return waiter != Waiter.NONE;
    }

    final boolean isAsleep() {
        return waiter == Waiter.IN_SLEEP || (waiter == Waiter.ASLEEP && !mayWake());
    }

    /** The engine has woken the threads that sleep on a word. */
    @SuppressWarnings("ReferenceEquality") // identity of the memory
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

    /** Posts an operation, and takes its outcome if it comes at once. */
    final void post(SimOp op, int queue) {
        world.note(() -> this + " posts " + op);
        busyQueues.add(queue);
        posting.push(op);
        op.life = isServer() ? op.life : life;
        long result;
        try {
            result = op.postTo(half());
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
        checkAlive(); // a half that ends its session for an Error also ends it for this one
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
     * Whether clients may still move bytes of an operation that is over. Only a server that has
     * lost its daemon or gives up its close cannot know this, because it gets no messages any more.
     * Its program leaves such buffers alone.
     */
    final boolean isUnsure(SimOp op) {
        boolean isUntold = op.code == ErrorCode.EHOSTDOWN.negativeValue();
        return isServer() && isUntold && (isClosing || !isOfDaemon());
    }

    /** Checks that nobody changes the buffers of a finished operation. */
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
        op.cancelCodes.add(code);
        boolean mayWait = isServer() && code != ErrorCode.ETIMEDOUT.negativeValue();
        CancelOutcome outcome = maybeWaiting(mayWait, () -> half().cancel(op, op.id(), code));
        if (outcome != CancelOutcome.CANCELLED) {
            return;
        }
        if (!op.isOver) {
            throw world.fail(op + " is cancelled and not over");
        }
        if (op.code != code) {
            throw world.fail(op + " is cancelled and ends with " + op.code + ", not " + code);
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
            finished.forEach(this::checkUntouched);
            for (SimOp op : world.ledger.pendingOf(this)) {
                throw world.fail(op + " is pending after close");
            }
            Objects.requireNonNull(host).checkProtocol();
            closed();
            isAlive = false;
            onDeath();
            onEnded();
        }
    }

    /** Its half has closed everything. */
    void closed() {}

    /** Whether it is behind a gateway. */
    boolean isRemote() {
        return false;
    }

    abstract void arrived(
            MethodAddress from, int tag, int messageClass, MemorySegment bytes, long token);

    abstract void failed(MethodAddress address);
}
