package org.jbmi.simulator;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zoid.ZoidOptions;
import org.jbmi.zoid.client.ZoidClient;
import org.jbmi.zoid.common.Seams;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A client's process. */
class SimClient extends SimPeer {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int MOST_PENDING = 14;

    /** In haste a client only posts and cancels, about equally often. */
    private static final int HASTE = 37 + 25;

    private static final int UNEXPECTED = -1;

    /** The kind of a receive for a short message. */
    private static final int TERSE_KIND = 40;

    /** The share of cancels among its actions in the middle of a round of the host. */
    private static final int LIGHT_CANCELS_PERCENT = 30;

    private @Nullable MethodAddress server;

    SimClient(World world, int index) {
        super(world, "client " + index);
    }

    @Override
    boolean isServer() {
        return false;
    }

    @Override
    PeerRole role() {
        return PeerRole.CLIENT;
    }

    @Override
    Method open(SimHost newHost) {
        ZoidClient fresh = new ZoidClient(newHost, this::connect, seams());
        server = fresh.lookup("zoid://");
        return fresh;
    }

    final Seams seams() {
        return new Seams(clock, waiting, world.liveness, threads);
    }

    /** A new link. */
    ClientLink connect(long waitNs, BooleanSupplier isOver, PeerEvents events) {
        return ShmClientLink.open(attach(world.door(), ShmClientLink.NAME), events);
    }

    @Override
    void step() {
        if (method == null) {
            return;
        }
        int dice = world.dice.below(world.isHasty() ? HASTE : 100);
        if (dice < 30 && world.isPosting) {
            postStep();
        } else if (dice < 37 || world.isHasty()) {
            cancelStep();
        } else if (dice < 44 && world.shortReplies.isNow()) {
            world.shortReplies.crossed(() -> world.server.answer(life), this::cancelsReceive);
        } else if (dice < 65) {
            progressStep();
        } else if (dice < 73) {
            run(this::poll);
        } else if (dice < 74 && world.isPosting) {
            int ms = world.dice.chance(60) ? 0 : world.dice.below(4);
            run(() -> half().setOption(null, ZoidOptions.POST_TIMEOUT_MS, ms));
        } else {
            waitStep(false);
        }
    }

    // Calls that its other threads make in between are not counted.
    private void poll() {
        long before = actions;
        long asked = asked();
        waitable().askAndPoll();
        if (actions == before && asked() - asked > 1) {
            throw world.fail(this + " asks more than once in one test call");
        }
    }

    private long asked() {
        return host == null ? 0 : host.counted("zoid.client.forwardedCalls.test");
    }

    // A cancel has its result at once, also in the middle of a round of the engine.
    @Override
    void lightStep() {
        boolean mayCancel = method != null && !isRemote() && !isLaneTight();
        if (mayCancel && world.dice.chance(LIGHT_CANCELS_PERCENT)) {
            cancelStep();
        } else {
            super.lightStep();
        }
    }

    /** Cancels the oldest receive for a short message, if it can do so now. */
    void cancelsReceive() {
        if (!isAlive || method == null || !mayRun() || isRemote() || isLaneTight()) {
            return;
        }
        for (SimOp op : world.ledger.pendingOf(this)) {
            boolean waits = op.isPending && op.isReceive() && op.tag() == SimOp.TERSE_TAG;
            if (waits && !op.hasDeadline()) {
                run(() -> cancel(op, CANCELLED));
                return;
            }
        }
    }

    private void postStep() {
        MethodAddress to = server;
        boolean isShort = world.shortReplies.isNow();
        int kindDice = isShort ? TERSE_KIND : world.dice.below(100);
        int tag = isShort ? SimOp.TERSE_TAG : world.dice.below(TAGS);
        int size = isShort ? SimOp.TERSE_ROOM : SimOp.anySize(world.dice);
        boolean isList = world.dice.chance(20);
        if (to == null || world.ledger.pendingOf(this).size() >= MOST_PENDING) {
            return;
        }
        OperationKind kind =
                kindDice < 35
                        ? OperationKind.SEND
                        : kindDice < 65 ? OperationKind.RECEIVE : OperationKind.SEND_UNEXPECTED;
        int queue =
                kind == OperationKind.SEND_UNEXPECTED
                        ? UNEXPECTED
                        : 2 * tag + (kind == OperationKind.SEND ? 1 : 0);
        if (busyQueues.contains(queue)) {
            return;
        }
        int messageClass = kind == OperationKind.SEND_UNEXPECTED ? world.dice.below(256) : 0;
        SimOp op =
                world.ledger.open(this, kind, to, tag, messageClass, buffers(size, isList), false);
        if (world.dice.chance(8)) {
            op.expireAt(world.nowNs() + world.dice.below(20) * 1_000_000L);
        }
        run(() -> post(op, queue));
    }

    static List<MemorySegment> buffers(int size, boolean isList) {
        List<MemorySegment> buffers = new ArrayList<>();
        int first = isList ? size / 3 : size;
        buffers.add(MemorySegment.ofArray(new byte[first]));
        if (isList) {
            buffers.add(MemorySegment.ofArray(new byte[size - first]));
        }
        return buffers;
    }

    @Override
    void arrived(MethodAddress from, int tag, int messageClass, MemorySegment bytes, long token) {
        throw world.fail("an unexpected message has come to a client");
    }

    @Override
    void failed(MethodAddress address) {
        throw world.fail("a client is told of a peer's end");
    }
}
