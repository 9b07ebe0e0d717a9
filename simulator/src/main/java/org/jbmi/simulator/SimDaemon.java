package org.jbmi.simulator;

import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.simulator.process.SimMemory;
import org.jbmi.simulator.queue.SimCarrier;
import org.jbmi.zbmi.host.SteppedHost;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/** The daemon's process: the production host, run step by step. */
final class SimDaemon extends SimHosting implements SteppedHost.Lending {
    /** More segments than any other process makes in a world. */
    private static final long MANY = 1 << 20;

    /** The process id that peers get for a stepped host. */
    private static final long HOST_PID = 1;

    private static final Path SEGMENTS = Path.of("/simulated");
    private static final String SEGMENT_PREFIX = "segment-";

    private final boolean isLending;
    private @Nullable SteppedHost host;
    private @Nullable MemorySegment loan;
    private long loans;
    private boolean isAsleep;
    private boolean isWoken;
    private long sleepUntilNs;

    /**
     * A daemon.
     *
     * @param isLending whether it lends its server the memory for an engine in the server
     */
    SimDaemon(World world, boolean isLending) {
        super(world, "daemon");
        this.isLending = isLending;
    }

    @Override
    long firstNumber() {
        return isLending ? MANY : 0;
    }

    /** The lent memory of a generation. */
    MemorySegment loan(long generation) {
        MemorySegment lent = loan;
        if (lent == null || generation != loans) {
            throw world.fail("memory is announced that is not lent");
        }
        return lent;
    }

    boolean isLent() {
        return loan != null;
    }

    @Override
    public long lend() {
        if (loan != null) {
            throw world.fail("the memory is lent twice");
        }
        loan = newMemory();
        return ++loans;
    }

    @Override
    public void takeBack() {
        MemorySegment lent = loan;
        if (lent == null) {
            return;
        }
        loan = null;
        if (world.daemon.isAlive && world.daemon.segment().memory().equals(lent)) {
            throw world.fail("the memory is taken away under its server");
        }
    }

    @Override
    public long pid() {
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
        DeadSegment last = new DeadSegment(Path.of(segmentName()), HOST_PID, incarnation);
        Segment fresh = begin(newMemory());
        if (incarnation > 1) {
            world.carriers().channelOf(this).sweep(last);
            world.carriers().channelOf(this).sweep(SEGMENTS, SEGMENT_PREFIX);
        }
        host =
                new SteppedHost(
                        world.layout(),
                        new EngineSegment(new SimMemory(fresh.raw(), this), fresh.map(), waiting),
                        segmentName(),
                        incarnation,
                        counters(),
                        context(this),
                        world.carriers().channelOf(this),
                        this);
        if (isLending) {
            host().lendsBy(this);
        }
        begun();
        SimGateway gateway = world.gatewayOrNull();
        if (gateway != null) {
            gateway.start();
        }
    }

    private String segmentName() {
        return SEGMENTS.resolve(SEGMENT_PREFIX + incarnation).toString();
    }

    private @Nullable SimCarrier carrier() {
        return world.carriers().of(this);
    }

    @Override
    protected void onDeath() {
        super.onDeath();
        SimCarrier own = carrier();
        if (own != null) {
            own.goDown();
        }
        SimGateway gateway = world.gatewayOrNull();
        if (gateway != null) {
            gateway.goDown();
        }
    }

    @Override
    protected void onEnded() {
        super.onEnded();
        host = null;
        world.carriers().forget(this);
        loan = null;
        isAsleep = false;
    }

    @Override
    SteppedHost host() {
        return Objects.requireNonNull(host, "no daemon");
    }

    @Override
    boolean hasThreadsLeft() {
        SimCarrier own = carrier();
        return own != null && own.isWorking();
    }

    @Override
    boolean hasSocketWork() {
        SimCarrier own = carrier();
        return super.hasSocketWork() || (own != null && own.hasWork());
    }

    @Override
    void step() {
        SimCarrier own = carrier();
        if (own != null && own.hasWork() && world.dice.chance(40)) {
            own.work();
        } else if (world.dice.chance(30) && hasSocketWork()) {
            run(this::socketStep);
        } else {
            run(this::engineStep);
        }
        check();
    }

    @Override
    void serveSockets() {
        if (mayRun() && !isBusy() && hasSocketWork()) {
            run(this::socketStep);
        }
    }

    // As the daemon's threads do: the peers see that the engine has ended, and it is never used
    // again.
    @Override
    protected void heapWasFull(HeapFull error) {
        goDown();
    }

    private void engineStep() {
        if (isAsleep) {
            if (!isWoken && world.nowNs() - sleepUntilNs < 0) {
                return;
            }
            isAsleep = false;
            host().wakeUp();
        }
        if (host().round(world.nowNs()) == 0) {
            isWoken = false;
            long sleepNs = host().fallAsleep(world.nowNs());
            if (sleepNs > 0) {
                isAsleep = true;
                sleepUntilNs = world.nowNs() + sleepNs;
            }
        }
    }

    @Override
    boolean isEngineAsleep() {
        return isAsleep && !isWoken && world.nowNs() - sleepUntilNs < 0;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // identity of the memory
    void wokenOn(SharedMemory raw, long offset) {
        boolean isOwn = isAlive && segment().raw() == raw;
        if (isOwn && segment().map().engineSleepWordOffset() == offset) {
            isWoken = true;
        }
    }

    @Override
    void rung() {
        // The engine sleeps on this word only.
    }
}
