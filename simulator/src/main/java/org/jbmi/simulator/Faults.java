package org.jbmi.simulator;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.queue.SimCarrier;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.simulator.socket.SimStream;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;

/** The faults and their victims. */
final class Faults {
    private static final int MOST_ACCESSES = 60;
    private static final int HEAP_PERCENT = 40;
    private static final int STANDS_PERCENT = 15;
    private static final int STANDS_STEPS = 300;

    /** Longer than a call, a close and an attachment together. */
    private static final long STANDS_NS = 25_000_000_000L;

    private final World world;

    Faults(World world) {
        this.world = world;
    }

    void happen() {
        Dice dice = world.dice;
        int die = dice.below(100);
        SimGateway gateway = world.gatewayOrNull();
        if (world.hasFullHeap() && dice.chance(HEAP_PERCENT)) {
            fillHeap();
        } else if (world.mayStand && dice.chance(STANDS_PERCENT)) {
            stand();
        } else if (gateway != null && dice.chance(35)) {
            onLink(gateway);
        } else if (die < 20) {
            crash(aClient(), FaultKind.CLIENT_CRASH);
        } else if (die < 29) {
            crash(world.server, FaultKind.SERVER_CRASH);
        } else if (die < 34) {
            SimProcess host = world.home();
            crash(
                    host,
                    host.equals(world.server) ? FaultKind.SERVER_CRASH : FaultKind.DAEMON_CRASH);
        } else if (die < 45) {
            cut(world.peers.get(dice.below(world.peers.size())));
        } else if (die < 58) {
            world.wakes.loseNext();
        } else if (die < 72) {
            stop();
        } else if (die < 82) {
            scarce();
        } else if (die < 90) {
            world.cover(FaultKind.TIME_JUMP);
            world.passNs(1_000_000L << dice.below(22));
        } else if (die < 98) {
            garbage(aClient());
        } else {
            garbage(world.server);
        }
    }

    private void fillHeap() {
        Dice dice = world.dice;
        int die = dice.below(100);
        SimProcess victim = die < 45 ? aClient() : die < 90 ? world.server : world.home();
        int few = dice.chance(50) ? 4 : 40;
        if (!victim.isAlive) {
            return;
        }
        world.cover(FaultKind.HEAP_FULL);
        victim.heapFullIn = 1 + dice.below(few);
        victim.heapFullFor = dice.chance(25) ? 1 + dice.below(3) : 0;
    }

    private void onLink(SimGateway gateway) {
        Dice dice = world.dice;
        int die = dice.below(100);
        SimStream stream = aClient() instanceof SimRemoteClient remote ? remote.stream() : null;
        if (die < 8) {
            crash(gateway, FaultKind.DAEMON_CRASH);
        } else if (die < 30) {
            stop(gateway);
        } else if (stream == null || stream.isLost()) {
            return;
        } else if (die < 55) {
            world.cover(FaultKind.LINK_CUT);
            stream.cut();
        } else if (die < 85) {
            world.cover(FaultKind.LINK_DELAY);
            stream.hold(5 + dice.below(100));
        } else {
            spoil(stream);
        }
    }

    private void spoil(SimStream stream) {
        SimRemoteClient victim = stream.owner() instanceof SimRemoteClient own ? own : null;
        if (victim == null || !victim.isAlive || victim.isClosing) {
            return;
        }
        stream.spoil();
        victim.taintLives();
        victim.die(FaultKind.LINK_GARBAGE);
    }

    private SimPeer aClient() {
        return world.peers.get(world.dice.below(world.peers.size() - 1));
    }

    private void crash(SimProcess victim, FaultKind kind) {
        if (!victim.isAlive || victim.isClosing) {
            return;
        }
        if (world.dice.chance(40)) {
            victim.die(kind);
        } else {
            victim.crashKind = kind;
            victim.crashIn = 1 + world.dice.below(MOST_ACCESSES);
        }
    }

    private void cut(SimPeer victim) {
        SimSocket socket = victim.socket;
        if (!victim.isAlive || victim.isClosing || socket == null || socket.isEnded) {
            return;
        }
        world.cover(FaultKind.SOCKET_CUT);
        world.hasCut = true;
        socket.isEnded = true;
        socket.other().isEnded = true;
    }

    private void stop() {
        int which = world.dice.below(world.peers.size() + 1);
        SimProcess victim = which == world.peers.size() ? world.home() : world.peers.get(which);
        stop(victim);
    }

    private void stop(SimProcess victim) {
        if (victim.isAlive) {
            world.cover(FaultKind.DELAY);
            victim.stoppedUntilStep =
                    world.steps + 5 + world.dice.below(world.dice.chance(15) ? 800 : 150);
        }
    }

    // Time passes while it is stopped, so that calls and closes end; lanes are full by then.
    private void stand() {
        SimProcess host = world.home();
        if (!host.isAlive || host.isClosing || !world.isPosting) {
            return;
        }
        world.cover(FaultKind.HOST_STANDS);
        world.note(() -> host + " stands for long");
        long until = world.steps + STANDS_STEPS + world.dice.below(2 * STANDS_STEPS);
        host.stoppedUntilStep = until;
        world.hasteUntilStep = until;
        world.passNs(world.dice.chance(50) ? STANDS_NS : 0);
    }

    private void scarce() {
        SimCarrier carrier = world.carriers().of(world.daemon);
        if (carrier != null && carrier.runOut(world.dice)) {
            world.cover(FaultKind.NO_MEMORY);
            return;
        }
        SimServer server = world.server;
        if (server.mayRun() && server.method != null && !world.daemon.isBusy()) {
            world.cover(FaultKind.NO_MEMORY);
            server.hoard(10 + world.dice.below(300));
        }
    }

    // A process that writes garbage ends at once, so that it need not handle the answers.
    private void garbage(SimPeer victim) {
        SessionArea area = victim.area;
        Segment segment = victim.segment;
        boolean isThere = victim.isAlive && !victim.isClosing && area != null && segment != null;
        if (!isThere || area == null || segment == null || !segment.isServed()) {
            return;
        }
        int count = 1 + world.dice.below(10);
        for (int i = 0; i < count; i++) {
            write(segment.raw(), area);
        }
        SimCarrier carrier = world.carriers().of(victim);
        if (carrier != null) {
            carrier.spoil(world.dice, segment.raw(), area);
        }
        SharedMemory raw = segment.raw();
        long doorbell =
                segment.map().doorbellOffset(area.session() / SegmentMap.SESSIONS_PER_DOORBELL);
        raw.getAndOrLong(
                doorbell, world.dice.chance(10) ? world.dice.next() : 1L << area.session());
        world.wakes.woken(raw, segment.map().engineSleepWordOffset());
        if (victim.isServer()) {
            world.isServerTainted = true;
            world.ledger.taintAllPending();
        } else {
            victim.taintLives();
        }
        victim.die(FaultKind.GARBAGE);
    }

    private void write(SharedMemory raw, SessionArea area) {
        Dice dice = world.dice;
        long at =
                switch (dice.below(9)) {
                    case 0 -> area.consumedByEngineOffset();
                    case 1 -> area.consumedByPeerOffset();
                    case 2 -> area.peerSleepWordOffset() & ~7L;
                    case 3 -> area.armedOffset() & ~7L;
                    case 4 -> area.windowOffset(dice.below(4));
                    case 5 ->
                            area.eagerSlots() == 0
                                    ? area.windowOffset(0)
                                    : area.eagerStateOffset(dice.below(area.eagerSlots()));
                    case 6 -> area.offset() + 8L * dice.below((int) (area.bytes() / 8));
                    default -> inUnheard(raw, area);
                };
        long was = raw.getLongAcquire(at);
        long now =
                switch (dice.below(4)) {
                    case 0 -> dice.next();
                    case 1 -> was ^ 1L << dice.below(64);
                    case 2 -> was + dice.below(5) - 2;
                    default -> dice.below(100) - 50L;
                };
        raw.setLongVolatile(at, now);
    }

    // A word of a message that the engine has not read.
    private long inUnheard(SharedMemory raw, SessionArea area) {
        long read = raw.getLongAcquire(area.consumedByEngineOffset()) + world.dice.below(3);
        long slot = area.towardEngineOffset() + (read & (area.laneSlots() - 1)) * 128;
        return slot + 8L * world.dice.below(10);
    }
}
