package org.jbmi.simulator;

import org.jbmi.config.Configuration;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.coverage.Coverage;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.coverage.WorldState;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.Schedule;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;

/**
 * One simulated system: a daemon (unless the server hosts the engine alone), a server, clients, the
 * clock, and the schedule. The schedule chooses the next process and the faults. Everything follows
 * from seeds: one for the sizes of the world, and one for each step. So a history can be shortened
 * by leaving steps out.
 */
final class World extends Schedule {
    static final int SESSIONS = 6;
    static final int MAX_UNEXPECTED = 1000;
    static final int EAGER = 128;
    private static final int DIRECT_PERCENT = 30;
    private static final int LENT_PERCENT = 45;
    private static final int STANDING_PERCENT = 35;
    private static final long STANDING_SEEDS = 0x7374616e64L;
    private static final int LEAVING_PERCENT = 40;
    private static final long LEAVING_SEEDS = 0x6c65617665L;
    private static final int GATEWAY_PERCENT = 45;
    private static final int REMOTE_PERCENT = 65;
    private static final int MEANWHILE_PERCENT = 10;
    private static final int MAX_DEPTH = 4;

    final Ledger ledger = new Ledger(this);
    final Coverage coverage = new Coverage();
    final SimServer server = new SimServer(this);
    final SimHosting daemon;
    private final @Nullable SimDaemon lender;
    private final @Nullable SimGateway gateway;
    private final Carriers carriers;
    final List<SimPeer> peers = new ArrayList<>();
    final Liveness liveness = new SimLiveness(this);
    private final Faults faults;
    private final Configuration knobs;
    private final HostLayout layout;
    private final boolean isCalm;
    final SlowEngine slowEngine;
    final ShortReplies shortReplies;
    final Wakes wakes = new Wakes(this);

    /** True from a server's garbage until the next server. */
    boolean isServerTainted;

    /** Whether there is or was a peer whose rings do not arrive, since its socket was cut. */
    boolean hasCut;

    /** Whether the host may stand still for longer than every time-out. */
    final boolean mayStand;

    private final boolean mayLeave;

    /** Until this step all peers only post and cancel, so that lanes fill. */
    long hasteUntilStep;

    private final boolean hasFullHeap = FullHeap.isCurrent();

    private int preemptIn;

    World(long seed, Configuration knobs, @Nullable List<String> trace) {
        super(trace);
        Dice own = new Dice(seed);
        this.knobs = knobs;
        this.faults = new Faults(this);
        int clients = 1 + own.below(3);
        this.isCalm = own.chance(25);
        long immediateWaitNs = own.chance(30) ? 0 : 1_000_000L * (1 + own.below(50));
        this.slowEngine = new SlowEngine(this, seed);
        this.shortReplies = new ShortReplies(this, seed);
        this.mayStand = new Dice(seed ^ STANDING_SEEDS).chance(STANDING_PERCENT);
        this.mayLeave = new Dice(seed ^ LEAVING_SEEDS).chance(LEAVING_PERCENT);
        boolean isNarrow = own.chance(40);
        this.layout =
                SimDaemon.layout(
                        isNarrow || slowEngine.isThere() ? 16 : 64,
                        1 + own.below(2),
                        1 + own.below(8),
                        immediateWaitNs);
        this.daemon = own.chance(DIRECT_PERCENT) ? new SimDirect(this) : new SimDaemon(this, false);
        this.lender = isDirect() && own.chance(LENT_PERCENT) ? new SimDaemon(this, true) : null;
        this.carriers = new Carriers(this, seed, own);
        boolean hasGateway = door() instanceof SimDaemon && own.chance(GATEWAY_PERCENT);
        long stallNs = isCalm ? Long.MAX_VALUE : 100_000_000L << own.below(8);
        this.gateway = hasGateway ? new SimGateway(this, stallNs) : null;
        for (int i = 1; i <= clients; i++) {
            boolean isRemote = hasGateway && own.chance(REMOTE_PERCENT);
            peers.add(
                    isRemote
                            ? new SimRemoteClient(this, i, new Dice(Dice.mix(seed, i)))
                            : new SimClient(this, i));
        }
        peers.add(server);
        door().start();
        dice.seed(own.next());
        server.start();
    }

    Configuration knobs() {
        return knobs;
    }

    HostLayout layout() {
        return layout;
    }

    @Override
    public boolean isCalm() {
        return isCalm;
    }

    /** Whether the engine runs in the server's process. */
    boolean isDirect() {
        return daemon instanceof SimDirect;
    }

    /** The daemon that lends memory to its server; null if there is none. */
    @Nullable SimDaemon lender() {
        return lender;
    }

    /** The command queues outside the segment. */
    Carriers carriers() {
        return carriers;
    }

    /** The host that clients connect to first. */
    SimHosting door() {
        SimDaemon own = lender;
        return own == null ? daemon : own;
    }

    /** The daemon's process; the server's if there is no daemon. */
    SimProcess home() {
        return door() instanceof SimDirect ? server : door();
    }

    int indexOf(SimPeer peer) {
        return peers.indexOf(peer);
    }

    @Override
    protected boolean hasFullHeap() {
        return hasFullHeap;
    }

    @Override
    protected boolean isHostBusy() {
        return daemon.isBusy() || door().isBusy();
    }

    @Override
    public boolean losesWake() {
        return wakes.losesOne();
    }

    @Override
    protected boolean sleep(
            SimProcess sleeper, SharedMemory memory, long offset, int expected, long timeoutNs) {
        return wakes.sleep(sleeper, memory, offset, expected, timeoutNs);
    }

    @Override
    protected void wake(SharedMemory memory, long offset) {
        wakes.woken(memory, offset);
    }

    @Override
    public void cover(FaultKind kind) {
        daemon.hadFaults = true;
        SimProcess below = leave();
        coverage.count(kind, states());
        running = below;
        note(() -> "fault: " + kind.label());
    }

    /** Runs one step of a process, and the actions of others in the middle of it. */
    void step(long seed) {
        dice.seed(seed);
        preemptIn = dice.chance(40) ? 1 + dice.below(60) : 0;
        passNs(dice.below(3000));
        int who = dice.below(1000);
        if (who < 14 && !isCalm) {
            faults.happen();
        } else if (who < 400) {
            otherThread();
        } else {
            SimPeer peer = peers.get(dice.below(peers.size()));
            if (peer.isAlive) {
                if (peer.mayRun()) {
                    peer.step();
                }
            } else if (peer.frames == 0 && isPosting && dice.chance(20)) {
                peer.start();
            }
        }
        daemon.check();
        SimDaemon lends = lender;
        if (lends != null) {
            lends.check();
        }
    }

    private void turn(SimHosting host) {
        SimGateway through = gateway;
        if (host.isBusy()) {
            return;
        }
        if (host.isAlive) {
            if (host.mayRun()) {
                host.step();
            }
        } else if ((through == null || through.frames == 0)
                && !host.hasThreadsLeft()
                && dice.chance(20)) {
            host.start();
        }
    }

    @Nullable SimGateway gatewayOrNull() {
        return gateway;
    }

    /** The gateway, in a world with remote clients. */
    SimGateway gateway() {
        return Objects.requireNonNull(gateway, "no gateway");
    }

    /** Whether a host or the gateway has work. */
    boolean hasHostWork() {
        SimGateway through = gateway;
        SimDaemon lends = lender;
        return (through != null && !through.isAsleep())
                || (lends != null && (lends.hasSocketWork() || !lends.isEngineAsleep()))
                || daemon.hasSocketWork()
                || !daemon.isEngineAsleep();
    }

    /** Runs a step of each host and of the gateway. */
    void hostStep() {
        SimGateway through = gateway;
        SimDaemon lends = lender;
        if (through != null && !through.isAsleep()) {
            through.step();
        }
        if (lends != null && lends.isAlive) {
            lends.step();
        }
        if (daemon.isAlive) {
            daemon.step();
        }
    }

    @Override
    protected void meanwhile(SimProcess process) {
        if (depth < MAX_DEPTH && dice.chance(MEANWHILE_PERCENT)) {
            others(process);
        }
    }

    /**
     * Whether the server may close while its clients live; a gateway may have no room to report
     * why.
     */
    boolean mayLeave() {
        return mayLeave && isPosting && gateway == null;
    }

    /** Whether all peers only post and cancel. */
    boolean isHasty() {
        return isPosting && steps < hasteUntilStep;
    }

    /** Whether a process may stay in the middle of an action for long. */
    boolean mayStay() {
        return isPosting && depth < MAX_DEPTH - 1;
    }

    /** Called while a process is inside a call that waits for a host. */
    void daemonFor(SimProcess waiting, SimHosting host) {
        steps++;
        SimProcess below = leave();
        if (host.mayRun() && !host.isBusy() && (host.equals(daemon) || dice.chance(50))) {
            depth++;
            try {
                host.step();
            } finally {
                depth--;
                running = below;
            }
        } else if (depth < MAX_DEPTH) {
            running = below;
            others(waiting);
        }
        running = below;
    }

    @Override
    public void others(SimProcess running) {
        passNs(dice.below(2000));
        int die = dice.below(200);
        SimProcess below = leave();
        depth++;
        try {
            shortReplies.cross();
            if (die < 3 && isPosting && !isCalm) {
                faults.happen();
            } else if (die < 100 || depth >= MAX_DEPTH) {
                otherThread();
            } else {
                otherPeer();
            }
        } finally {
            depth--;
            running = below;
        }
    }

    private void otherThread() {
        SimGateway through = gateway;
        SimDaemon lends = lender;
        if (through != null && through.mayRun() && dice.chance(40)) {
            through.step();
        } else if (lends != null && dice.chance(30)) {
            turn(lends);
        } else if (slowEngine.rests()) {
            daemon.serveSockets();
        } else {
            turn(daemon);
        }
    }

    private void otherPeer() {
        SimPeer peer = peers.get(dice.below(peers.size()));
        boolean isGone = !peer.isAlive && peer.frames == 0 && isPosting;
        if (isGone && !daemon.isBusy() && dice.chance(20)) {
            peer.start();
        } else if (!peer.mayRun()) {
            return;
        } else if (peer.isHostBusy()) {
            peer.lightStep();
        } else {
            peer.step();
        }
    }

    @Override
    protected void accessed(SimProcess process) {
        if (process.equals(gateway) && depth < MAX_DEPTH && slowEngine.catchesUp()) {
            wakeEngine(process);
        }
        if (preemptIn == 0 || --preemptIn > 0 || depth >= MAX_DEPTH) {
            return;
        }
        interrupt(process, 1 + dice.below(4));
        if (dice.chance(30)) {
            preemptIn = 1 + dice.below(20);
        }
    }

    /** Lets others run after a number of memory accesses. */
    void interruptIn(int accesses) {
        preemptIn = accesses;
    }

    private void wakeEngine(SimProcess meanwhile) {
        meanwhile.exclusive++;
        SimProcess below = leave();
        depth++;
        try {
            turn(daemon);
        } finally {
            running = below;
            depth--;
            meanwhile.exclusive--;
        }
    }

    @Override
    protected void halfCopied(SimProcess process) {
        if (depth < MAX_DEPTH && dice.chance(10)) {
            if (isPosting && !isCalm && dice.chance(15)) {
                faults.happen();
            }
            interrupt(process, 1 + dice.below(3));
        }
    }

    private void interrupt(SimProcess process, int count) {
        process.exclusive++;
        try {
            for (int i = 0; i < count; i++) {
                others(process);
            }
        } finally {
            process.exclusive--;
        }
    }

    /** Whether the server can still get to know a client's life, or get messages of it. */
    boolean isLifeThere(long life) {
        for (SimPeer peer : peers) {
            if (!peer.isServer() && peer.isAlive && peer.hadLife(life)) {
                return true;
            }
        }
        return false;
    }

    private EnumSet<WorldState> states() {
        EnumSet<WorldState> states = EnumSet.noneOf(WorldState.class);
        new StatesOf(this).collect(states);
        return states;
    }
}
