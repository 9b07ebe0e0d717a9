package org.jbmi.simulator;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.simulator.process.SimMemory;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.host.SteppedDirectHost;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The engine in the server's process. The server's threads run it when they call, and otherwise the
 * keeper, whose thread this is. It starts and ends with the server, and its frames are those of the
 * server.
 */
final class SimDirect extends SimHosting implements SteppedDirectHost.Surroundings {
    private static final long SLACK_NS = 2_000_000;

    private @Nullable SteppedDirectHost host;
    private @Nullable PeerAttachment daemon;
    private boolean isLeading;
    private boolean isAsleep;
    private boolean isWoken;
    private boolean sleepsForEver;
    private boolean isTicking;
    private long sleepUntilNs;

    SimDirect(World world) {
        super(world, "keeper");
    }

    @Override
    public long pid() {
        return world.server.pid();
    }

    /** A waiting call has released the engine's lock; an interrupted one may hold it. */
    @Override
    boolean isBusy() {
        return world.server.exclusive > 0;
    }

    @Override
    public boolean mayRun() {
        return isAlive && host != null && world.server.mayRun();
    }

    @Override
    void start() {
        // It starts with its server.
    }

    /** Opens the engine for a server. */
    ServerAttachment host(SimServer server) {
        return host(server, HostKind.EMBEDDED, newMemory());
    }

    /** Opens the engine for a server, in memory that a daemon lends. */
    ServerAttachment host(SimServer server, PeerAttachment lender, MemorySegment loan) {
        daemon = lender;
        return host(server, HostKind.DIRECT, loan);
    }

    private ServerAttachment host(SimServer server, HostKind kind, MemorySegment memory) {
        Segment fresh = begin(memory);
        SteppedDirectHost stepped =
                new SteppedDirectHost(
                        kind,
                        world.layout(),
                        new EngineSegment(
                                new SimMemory(fresh.raw(), server), fresh.map(), server.waiting),
                        fresh.memory(),
                        "simulated",
                        incarnation,
                        server.pid(),
                        counters(),
                        context(server),
                        this);
        host = stepped;
        isLeading = false;
        isAsleep = false;
        begun();
        return stepped;
    }

    /**
     * The server's process has ended, or its method is closed: no thread serves the sockets any
     * more.
     */
    void end() {
        if (isAlive) {
            isAlive = false;
            onDeath();
        }
    }

    @Override
    protected void onEnded() {
        super.onEnded();
        host = null;
        daemon = null;
    }

    @Override
    boolean hasSocketWork() {
        return isAlive && (super.hasSocketWork() || isDaemonGone());
    }

    @Override
    boolean isWhole() {
        return isAlive && host != null && host.failure() == null;
    }

    private boolean isDaemonGone() {
        PeerAttachment lender = daemon;
        boolean isOver = lender != null && lender.socket() instanceof SimSocket on && on.isEnded;
        return isOver && isAlive && host().failure() == null;
    }

    @Override
    SteppedDirectHost host() {
        return Objects.requireNonNull(host, "no server");
    }

    @Override
    void step() {
        if (world.dice.chance(30) && hasSocketWork()) {
            isAsleep = false;
            asKeeper(isDaemonGone() ? host()::daemonGone : this::socketStep);
        } else {
            asKeeper(this::keeperTurn);
        }
        check();
    }

    private void asKeeper(Runnable turn) {
        world.server.run(
                () -> {
                    try {
                        turn.run();
                    } catch (HeapFull e) {
                        keeperEnds();
                    }
                });
    }

    // The server hears of it before the peers do.
    private void keeperEnds() {
        try {
            host().keeperEnds();
        } finally {
            end();
        }
    }

    @Override
    void serveSockets() {
        if (mayRun() && !isBusy() && !isDaemonGone() && hasSocketWork()) {
            asKeeper(this::socketStep);
        }
    }

    private void keeperTurn() {
        if (isAsleep) {
            if (!mayWake()) {
                return;
            }
            isAsleep = false;
            isWoken = false;
        }
        isLeading = host().keeperStep();
        if (host().failure() != null) {
            keeperEnds();
            return;
        }
        if (isLeading || !isAlive) {
            return;
        }
        long sleepMs = host().keeperSleepMs();
        sleepsForEver = sleepMs == 0;
        isTicking = sleepMs == 1;
        sleepUntilNs = world.nowNs() + sleepMs * 1_000_000;
        isAsleep = true;
    }

    // While the world settles no time passes except for a tick.
    private boolean mayWake() {
        if (isTicking && !world.isPosting) {
            world.passUntil(sleepUntilNs);
        }
        return isWoken || (!sleepsForEver && world.nowNs() - sleepUntilNs >= 0);
    }

    @Override
    boolean isEngineAsleep() {
        boolean isDue = !sleepsForEver && (isTicking || world.nowNs() - sleepUntilNs >= 0);
        return !isAlive || (isAsleep && !isWoken && !isDue);
    }

    @Override
    void check() {
        SteppedDirectHost own = host;
        String failure = own == null ? null : own.failure();
        boolean isLent = daemon != null;
        // A thread that ends in the middle of a round ends its engine.
        if (failure != null && isAlive && !isLent && !world.hasFullHeap()) {
            throw world.fail(failure);
        }
        if (failure != null && world.hasFullHeap()) {
            return; // it is not used again
        }
        super.check();
        if (own != null && isAlive && !isBusy() && isEngineAsleep()) {
            checkDeadline(own);
        }
    }

    // The keeper may be late, but some thread must look in time.
    private void checkDeadline(SteppedDirectHost own) {
        long leftNs = own.engine().nanosToNextDeadline(world.nowNs());
        boolean isThere = leftNs != Long.MAX_VALUE;
        long lateNs = sleepUntilNs - (world.nowNs() + leftNs);
        if (isThere && (sleepsForEver || lateNs > SLACK_NS)) {
            throw world.fail("the keeper sleeps over a deadline");
        }
    }

    /** Only the server's threads sleep on the word; the keeper does not. */
    @Override
    void wokenOn(SharedMemory raw, long offset) {
        // See SimServer.
    }

    @Override
    public void wakeKeeper() {
        isWoken = true;
    }

    @Override
    void rung() {
        isWoken = true;
    }

    @Override
    public void hangUp() {
        end();
        PeerAttachment lender = daemon;
        if (lender != null) {
            lender.hangUp();
        }
    }

    @Override
    public void close() {
        if (isAlive && host().failure() == null) {
            sayServerClosed();
        }
        end();
        PeerAttachment lender = daemon;
        if (lender != null) {
            lender.close();
        }
    }
}
