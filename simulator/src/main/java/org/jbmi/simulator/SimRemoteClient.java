package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.Waiter;
import org.jbmi.simulator.socket.SimSelector;
import org.jbmi.simulator.socket.SimSockets;
import org.jbmi.simulator.socket.SimStream;
import org.jbmi.spi.SleepPlace;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.socket.LinkSettings;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.jbmi.zoid.common.Attacher;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectionKey;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A client's process that has a stream to the gateway instead of the segment. Its link is the
 * production code; only sockets and selectors are simulated.
 */
final class SimRemoteClient extends SimClient {
    private static final int ANSWER_TURNS = 200;
    private static final int PAUSE_TURNS = 6;
    private static final int LEAD_TURNS = 12;
    private static final int NO_FRAME = -1;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SimSockets network;
    private final String address;
    private final LinkSettings settings;
    private final boolean isNarrow;
    private @Nullable SimStream stream;
    private @Nullable ClientLink link;
    private SimGateway.@Nullable Lane through;
    private boolean isDialling;
    private int leadFrame = NO_FRAME;
    private boolean isLeadCalled;
    private long actionsBefore;

    @Override
    boolean isRemote() {
        return true;
    }

    SimRemoteClient(World world, int index, Dice own) {
        super(world, index);
        this.network = new SimSockets(this, world.gateway(), world.gateway()::connect, this::dials);
        this.address = own.chance(50) ? "/simulated/gateway" : "127.0.0.1:7000";
        this.isNarrow = own.chance(70);
        long stallNs = world.isCalm() ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(90);
        int bufferBytes = isNarrow ? own.below(500) : 1 << (10 + own.below(5));
        this.settings = new LinkSettings(network, threads, stallNs, bufferBytes);
    }

    /** Its connection, or its attempt to connect; null if it has none. */
    @Nullable SimStream stream() {
        return stream;
    }

    boolean isDialling() {
        return isDialling;
    }

    /** Whether it can take another message. */
    boolean hasRoom() {
        ClientLink open = link;
        return open == null || open.hasRoom();
    }

    @Override
    ClientLink connect(long waitNs, BooleanSupplier isOver, PeerEvents events) {
        link = null;
        through = null;
        network.checkAllClosed("when it dials");
        Attacher attacher =
                new Attacher(
                        new RuntimeDirectory(Path.of("simulated")),
                        PeerRole.CLIENT,
                        SocketClientLinks.NAME,
                        address,
                        seams());
        exclusive++; // the half holds a lock during this
        isDialling = true;
        try {
            return attacher.attach(waitNs, isOver, request -> dial(request, events));
        } finally {
            isDialling = false;
            exclusive--;
        }
    }

    private ClientLink dial(AttachRequest request, PeerEvents events) {
        long startNs = world.nowNs();
        long startStep = world.steps;
        SimStream before = stream;
        ClientLink fresh;
        try {
            fresh = SocketClientLinks.connect(request, address, events, settings);
        } catch (BmiException e) {
            network.checkAllClosed("after a dial that came to nothing");
            checkFailure(e, before, startStep, world.nowNs() - startNs, request.timeoutNs());
            throw e;
        }
        network.checkOneOfEach();
        SimStream mine = stream;
        if (mine == null || mine.isAstray()) {
            throw world.fail(this + " has a link with somebody who is no gateway");
        }
        boolean isThere = mine.isOfGateway();
        SimGateway.Lane taken = isThere ? world.gateway().lane(fresh.generation()) : null;
        if (isThere && taken == null) {
            throw world.fail(this + " has a session that nobody has given to it");
        }
        if (taken == null) {
            fresh.hangUp();
            throw new BmiException(ErrorCode.ENETDOWN, "The gateway has gone.");
        }
        link = fresh;
        through = taken;
        begun(taken.lane());
        return fresh;
    }

    // What the error says must have happened.
    @SuppressWarnings("ReferenceEquality") // identity of the stream
    private void checkFailure(
            BmiException failure,
            @Nullable SimStream before,
            long startStep,
            long tookNs,
            long timeoutNs) {
        SimStream last = stream;
        boolean isLate = tookNs > timeoutNs - MS;
        if (last == null
                || last == before
                || !(isFounded(failure.code(), last, startStep, isLate)
                        || isTooSlow(failure.code(), last, tookNs))) {
            throw world.fail(this + " cannot dial, and nobody hinders it: " + failure, failure);
        }
    }

    // For the gateway, which may wait for a shorter time.
    private static boolean isTooSlow(ErrorCode code, SimStream last, long tookNs) {
        return code == ErrorCode.ETIMEDOUT
                && last.refusal() == code.negativeValue()
                && tookNs >= SimGateway.HANDSHAKE_NS;
    }

    private boolean isFounded(ErrorCode code, SimStream last, long startStep, boolean isLate) {
        int refusal = last.refusal();
        if (refusal == code.negativeValue()) {
            return last.isAstray() || world.gateway().hasRefused(code, startStep);
        }
        return switch (code) {
            case ENETDOWN -> last.isRefused() || isUnanswered(last, isLate);
            case ETIMEDOUT -> isLate;
            case EPROTO -> isUnanswered(last, isLate);
            default -> false;
        };
    }

    private static boolean isUnanswered(SimStream last, boolean isLate) {
        return last.isAstray() || (last.refusal() == 0 && isBrokenOff(last, isLate));
    }

    private static boolean isBrokenOff(SimStream last, boolean isLate) {
        return last.wasCut() || !last.isOfGateway() || last.isTooNarrow() || isLate;
    }

    /** Called when it opens a socket. */
    void dials(SimStream fresh) {
        stream = fresh;
    }

    @Override
    public boolean isHostBusy() {
        return super.isHostBusy() || world.gateway().frames > 0;
    }

    @Override
    protected int patience() {
        if (isDialling) {
            return isConnecting() ? ANSWER_TURNS : 1 + world.dice.below(PAUSE_TURNS);
        }
        return isLead() ? 1 + world.dice.below(LEAD_TURNS) : super.patience();
    }

    private boolean isConnecting() {
        SimStream on = stream;
        return on != null && on.isOpen();
    }

    @Override
    protected void outOfPatience(long endNs) {
        if (!isLead()) {
            super.outOfPatience(endNs);
        } else if (isLeadCalled && endNs - world.nowNs() > MS) {
            throw world.fail("the lead of " + this + " sleeps on although it was woken");
        }
    }

    @Override
    protected void standBy() {
        SimGateway gateway = world.gateway();
        if (!isDialling) {
            super.standBy();
        } else if (gateway.mayRun() && world.dice.chance(50)) {
            gateway.step();
        } else {
            world.daemonFor(this, world.door());
        }
    }

    @Override
    protected boolean isInCall() {
        return !isDialling && !isLead();
    }

    private boolean isLead() {
        return frames == leadFrame;
    }

    @Override
    protected boolean hasReadySleepers() {
        SimSelector selector = network.selector();
        return selector != null && selector.lets();
    }

    // The bytes that one thread has claimed in a call delay all later bytes. This thread cannot go
    // on before the frames above it have returned.
    @Override
    void step() {
        if (posting.stream().noneMatch(SimOp::isReceive)) {
            if (method != null
                    && !isWaiting()
                    && world.dice.chance(world.slowEngine.isThere() ? 30 : 12)) {
                run(() -> alone(this::testInHaste));
            } else {
                super.step();
            }
        } else if (method != null) {
            run(() -> waitable().poll());
        }
    }

    // Like a program that polls without waiting: many messages, no answers.
    private void testInHaste() {
        int times = 1 + world.dice.below(world.slowEngine.isThere() ? 40 : 8);
        for (int i = 0; i < times; i++) {
            try {
                waitable().beginWait(world.nowNs() + 1_000_000);
            } finally {
                waitable().endWait();
            }
        }
    }

    @Override
    void fallsAsleep(SleepPlace place) {
        if (sleepsInSelector
                || !(place instanceof SleepPlace.Word word)
                || word.elsewhere().get() == null) {
            return;
        }
        if (leadFrame == NO_FRAME && world.mayStay() && !isHostBusy() && world.dice.chance(60)) {
            leadFrame = frames;
            isLeadCalled = false;
            try {
                sleepsInCall(word.sleep());
            } finally {
                leadFrame = NO_FRAME;
            }
        } else {
            sleepLazily(word.sleep());
        }
    }

    // Like a program with one half only; other processes run in between.
    private void sleepsInCall(SleepPlace.Sleep on) {
        waiter = Waiter.IN_SLEEP;
        exclusive--;
        try {
            on.sleep(SLEEP_NS);
        } finally {
            exclusive++;
            waiter = Waiter.AWAKE;
        }
        disarm();
    }

    // The selector says what it would do: others go on as if this thread slept in it. But the link
    // believes that nobody does, so it wakes whenever another thread has done something.
    private void sleepLazily(SleepPlace.Sleep on) {
        SimSelector selector = network.selector();
        if (selector != null) {
            selector.isLazy = true;
            on.sleep(SLEEP_NS);
            selector.isLazy = false;
            actionsBefore = actions;
        }
    }

    private SleepPlace.Sleep ownSleep() {
        if (waitable().sleepsOn() instanceof SleepPlace.Word word) {
            return word.sleep();
        }
        throw new IllegalStateException("a client sleeps on a word");
    }

    @Override
    void wakeLead() {
        super.wakeLead();
        if (method == null || sleepsInSelector) {
            return;
        }
        if (waiter == Waiter.IN_SLEEP || waiter == Waiter.ASLEEP) {
            long lostBefore = world.wakes.lostCount();
            ownSleep().wake();
            isLeadCalled = world.wakes.lostCount() == lostBefore;
        }
    }

    @Override
    boolean isCalled() {
        ClientLink open = link;
        SimStream on = stream;
        if (open == null || on == null || open.brokenReason() != null) {
            return super.isCalled();
        }
        if (!sleepsInSelector) {
            SimSelector selector = network.selector();
            return selector == null || actions != actionsBefore || !selector.isAsleep();
        }
        return super.isCalled() || (on.isOpen() && (on.readyOps() & SelectionKey.OP_READ) != 0);
    }

    @Override
    boolean isLaneTight() {
        return link == null || isNarrow; // otherwise there is room for all that may be pending
    }

    @Override
    boolean isOfDaemon() {
        SimStream on = stream;
        SimGateway.Lane taken = through;
        return on != null && taken != null && !on.isLost() && taken.isWhole();
    }

    /** Whether the engine has read everything that the gateway has passed on. */
    boolean isLaneFree() {
        SimGateway.Lane taken = through;
        return taken != null && isOfDaemon() && !taken.lane().hasUnreceived();
    }

    @Override
    boolean hasUnread() {
        SimStream on = stream;
        return (on != null && on.hasUnread()) || (through != null && super.hasUnread());
    }

    @Override
    boolean hasUnreceived() {
        SimStream on = stream;
        return (on != null && on.hasUnreceived()) || (through != null && super.hasUnreceived());
    }

    /** Whether it has something to do although it was not woken. */
    boolean sleepsOverSomething() {
        if (waiter != Waiter.ASLEEP || !isAsleep()) {
            return false;
        }
        int[] done = new int[1];
        run(() -> done[0] = waitable().poll());
        return done[0] > 0;
    }

    @Override
    void closed() {
        network.checkAllClosed("when it closed");
    }

    @Override
    protected void onDeath() {
        network.endAll();
        super.onDeath();
    }

    @Override
    protected void onEnded() {
        super.onEnded();
        stream = null;
        link = null;
        through = null;
        isDialling = false;
        leadFrame = NO_FRAME;
    }
}
