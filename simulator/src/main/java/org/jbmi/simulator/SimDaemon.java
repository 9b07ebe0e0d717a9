package org.jbmi.simulator;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.host.SteppedHost;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.protocol.Hello;
import org.jspecify.annotations.Nullable;

/** The daemon's process: the production host, stepped. */
final class SimDaemon extends SimHosting {
    private @Nullable SteppedHost host;
    private boolean isAsleep;
    private boolean isWoken;
    private long sleepUntilNs;

    SimDaemon(World world) {
        super(world, "daemon");
    }

    @Override
    long pid() {
        return 1000L * incarnation + 1;
    }

    @Override
    boolean isBusy() {
        return frames > 0;
    }

    @Override
    void start() {
        if (incarnation > 0) {
            world.cover(FaultKind.DAEMON_RESTART);
        }
        Segment fresh = begin();
        host =
                new SteppedHost(
                        world.layout(),
                        new EngineSegment(new SimMemory(fresh.raw(), this), fresh.map(), waiting),
                        "simulated",
                        incarnation,
                        counters(),
                        context(this),
                        this);
        begun();
    }

    @Override
    void onBuried() {
        super.onBuried();
        host = null;
        isAsleep = false;
    }

    private SteppedHost host() {
        SteppedHost own = host;
        if (own == null) {
            throw new IllegalStateException("no daemon");
        }
        return own;
    }

    @Override
    Engine engine() {
        return host().engine();
    }

    @Override
    void step() {
        if (world.dice.chance(30) && hasSocketWork()) {
            run(this::socketStep);
        } else {
            run(this::engineStep);
        }
        check();
    }

    private void engineStep() {
        if (isAsleep) {
            if (!isWoken && world.nowNs - sleepUntilNs < 0) {
                return;
            }
            isAsleep = false;
            host().wakeUp();
        }
        if (host().round(world.nowNs) == 0) {
            isWoken = false;
            long sleepNs = host().fallAsleep(world.nowNs);
            if (sleepNs > 0) {
                isAsleep = true;
                sleepUntilNs = world.nowNs + sleepNs;
            }
        }
    }

    @Override
    boolean isEngineAsleep() {
        return isAsleep && !isWoken && world.nowNs - sleepUntilNs < 0;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the very memory
    void wokenOn(SharedMemory raw, long offset) {
        boolean isOwn = isAlive && segment().raw() == raw;
        if (isOwn && segment().map().engineSleepWordOffset() == offset) {
            isWoken = true;
        }
    }

    @Override
    void greeted(SimSocket socket, Hello hello) {
        host().greeted(socket, hello);
    }

    @Override
    void hungUp(SimSocket socket, boolean isClean) {
        host().hungUp(socket, isClean);
    }

    @Override
    void provedDead(SimSocket socket) {
        host().provedDead(socket);
    }

    @Override
    void rung() {
        // Its engine sleeps on the word alone.
    }
}
