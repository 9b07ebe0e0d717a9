package org.jbmi.simulator;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SegmentOptions;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.observe.Counters;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.channel.RingCommandChannelProvider;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.EngineAudit;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.jbmi.zbmi.host.SteppedEngine;
import org.jbmi.zbmi.host.SteppedHost;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The process of the engine: its host's work with sockets, one event per step, and the memory that
 * it has made.
 */
abstract class SimHosting extends SimProcess implements SteppedHost.Sockets {
    /** More than any peer reads in the life of a session. */
    private static final int COUNTERS_LONGS = (HostCounters.capacity(World.SESSIONS) + 24) * 32;

    private static final int NO_ROOM = ErrorCode.ENOBUFS.negativeValue();
    private static final int BUSY = ErrorCode.EBUSY.negativeValue();
    private static final int NO_MEMORY = ErrorCode.ENOMEM.negativeValue();

    /** The memory of one life of the daemon. */
    record Segment(
            SimHosting host, long number, MemorySegment memory, SharedMemory raw, SegmentMap map) {
        long lifeOf(int generation) {
            return number << 32 | generation;
        }

        /** Whether an engine uses it. */
        boolean isServed() {
            return host.isThere(this);
        }
    }

    /** The answer to a peer. */
    record Session(HandshakeFrame answer, Segment segment) {}

    private record AwaitedExit(SimSocket socket, SimProcess process, int incarnation) {}

    private static final class Known {
        private final SimSocket socket;
        private final SimProcess process;
        private final int incarnation;
        private final boolean isServer;
        private @Nullable Hello hello;
        private @Nullable HandshakeFrame answer;
        private boolean isGone;
        private boolean isSentAway;

        /** Sessions that were in use when its hello came, or that earlier hellos will use. */
        private int takenBefore;

        /** Whether the host knows that the session is free. */
        private boolean isFree;

        Known(SimSocket socket, SimProcess process, Hello hello) {
            this.socket = socket;
            this.process = process;
            this.incarnation = process.incarnation;
            this.isServer = hello.role() == PeerRole.SERVER;
            this.hello = hello;
        }

        private boolean mayHaveSession() {
            boolean hasNone = answer instanceof Refused || answer instanceof Redirect;
            return hello == null && !isFree && !hasNone;
        }
    }

    final World world;
    private @Nullable Segment segment;
    private @Nullable EngineAudit audit;
    private final Map<SimSocket, Known> sockets = new HashMap<>();
    private final List<Known> open = new ArrayList<>();
    private final List<AwaitedExit> awaitedExits = new ArrayList<>();
    private final Deque<Runnable> requests = new ArrayDeque<>();
    private Counters counters = Counters.over(MemorySegment.ofArray(new long[COUNTERS_LONGS]));
    boolean hadFaults;
    private int evicted;

    SimHosting(World world, String name) {
        super(world, name);
        this.world = world;
    }

    /** Starts again, unless another process starts it. */
    abstract void start();

    /** One step of one of its threads. */
    abstract void step();

    /** A step of the thread that serves sockets, if it has work. */
    abstract void serveSockets();

    /** Whether a thread is in the middle of a round, so that no other one may begin. */
    abstract boolean isBusy();

    abstract boolean isEngineAsleep();

    /** Whether a thread of an ended process is still on the stack. */
    boolean hasThreadsLeft() {
        return false;
    }

    /** The engine or a peer has woken the threads that sleep on a word. */
    abstract void wokenOn(SharedMemory raw, long offset);

    /** The engine with its host. */
    abstract SteppedEngine host();

    final Engine engine() {
        return host().engine();
    }

    /** A peer has written a ring into its socket. */
    abstract void rung();

    /** Begins a new life, with its memory. */
    final Segment begin(MemorySegment memory) {
        incarnation++;
        evicted = 0;
        isAlive = true;
        hadFaults |= incarnation > 1;
        SharedMemory raw = new SegmentMemory(memory);
        Segment fresh = new Segment(this, firstNumber() + incarnation, memory, raw, map());
        segment = fresh;
        counters = Counters.over(MemorySegment.ofArray(new long[COUNTERS_LONGS]));
        return fresh;
    }

    private SegmentMap map() {
        return world.layout().map();
    }

    /** Memory of its own. */
    final MemorySegment newMemory() {
        MemorySegment memory = Arena.ofAuto().allocate(map().segmentBytes(), 4096);
        map().writeControlPage(new SegmentMemory(memory));
        return memory;
    }

    /** From which its segments are numbered, so that no two have the same number. */
    long firstNumber() {
        return 0;
    }

    final HostContext context(SimProcess of) {
        return new HostContext(
                of.clock,
                of.waiting,
                world.liveness,
                new ErrorLog(text -> world.note(() -> this + " notes: " + text)),
                new SessionCounters(counters),
                0);
    }

    final Counters counters() {
        return counters;
    }

    final void begun() {
        audit = new EngineAudit(engine());
        world.note(() -> this + " is there");
    }

    @Override
    protected void onDeath() {
        for (Known each : open) {
            each.socket.end();
        }
    }

    final void sayServerClosed() {
        for (Known each : open) {
            each.socket.sayServerClosed();
        }
    }

    @Override
    protected void onEnded() {
        audit = null;
        sockets.clear();
        open.clear();
        awaitedExits.clear();
        requests.clear();
    }

    boolean isThere(Segment of) {
        return isAlive && segmentNumber() == of.number();
    }

    long segmentNumber() {
        Segment own = segment;
        return own == null ? 0 : own.number();
    }

    final Segment segment() {
        return Objects.requireNonNull(segment, "no daemon");
    }

    /** A peer has connected and sent a hello, which is not read yet. */
    void connected(SimSocket socket, Hello hello, SimProcess process) {
        Known known = new Known(socket, process, hello);
        sockets.put(socket, known);
        open.add(known);
    }

    @Nullable Session answerFor(SimSocket socket) {
        Known known = sockets.get(socket);
        HandshakeFrame answer = known == null ? null : known.answer;
        return answer == null ? null : new Session(answer, segment());
    }

    void check() {
        EngineAudit own = audit;
        if (isAlive && !isBusy() && own != null) {
            try {
                world.aside(
                        () -> {
                            own.check();
                            world.peers.forEach(peer -> peer.checkWords(this, own));
                        });
            } catch (IllegalStateException e) {
                throw world.fail("in the engine " + e.getMessage(), e);
            }
        }
    }

    boolean hasSocketWork() {
        if (!requests.isEmpty()) {
            return true;
        }
        for (Known each : open) {
            if (each.hello != null || each.socket.isRung || isEnding(each)) {
                return true;
            }
        }
        return awaitedExits.stream().anyMatch(SimHosting::isDead);
    }

    /** How many evicted peers live and may still write to their memory. */
    int sessionsInQuarantine() {
        return awaitedExits.size();
    }

    private static boolean isEnding(Known known) {
        return !known.isGone && (known.socket.saidGoodbye || known.socket.isEnded);
    }

    private static boolean isDead(AwaitedExit who) {
        return !who.process.isAlive || who.process.incarnation != who.incarnation;
    }

    final void socketStep() {
        Runnable request = requests.poll();
        if (request != null) {
            request.run();
            return;
        }
        for (Known each : open) {
            Hello hello = each.hello;
            if (hello != null) {
                each.takenBefore = taken(each.isServer);
                each.hello = null;
                host().greeted(each.socket, hello);
                return;
            }
            if (each.socket.isRung) {
                each.socket.isRung = false;
                rung();
                return;
            }
            if (isEnding(each)) {
                gone(each);
                return;
            }
        }
        for (Iterator<AwaitedExit> i = awaitedExits.iterator(); i.hasNext(); ) {
            AwaitedExit each = i.next();
            if (isDead(each)) {
                i.remove();
                isFree(each.socket);
                host().provedDead(each.socket);
                return;
            }
        }
    }

    private void gone(Known known) {
        known.isGone = true;
        known.socket.end();
        open.remove(known);
        boolean isClean = known.socket.saidGoodbye;
        if (known.answer != null || sockets.containsKey(known.socket)) {
            if (known.socket.isForLostClient) {
                host().lost(known.socket);
            }
            known.isFree = isClean;
            if (!known.isSentAway) {
                host().hungUp(known.socket, isClean);
            } else if (isClean) {
                host().provedDead(known.socket);
            }
            if (!isClean) {
                awaitedExits.add(new AwaitedExit(known.socket, known.process, known.incarnation));
            }
        }
    }

    private int taken(boolean byServer) {
        int count = 0;
        for (Known each : sockets.values()) {
            count += each.isServer == byServer && each.mayHaveSession() ? 1 : 0;
        }
        return count;
    }

    private void isFree(SimSocket socket) {
        Known known = sockets.get(socket);
        if (known != null) {
            known.isFree = true;
        }
    }

    // A client is refused if all sessions are in use, or the server has messages that lie there. A
    // server is refused if there is another one, or transfers in the memory of the last one go on.
    private void check(Known of, Refused refusal) {
        EngineAudit own = audit;
        int inUse = of.takenBefore + (own == null ? 0 : own.keptSessions());
        boolean isFounded =
                of.isServer
                        ? refusal.code() == BUSY
                                && (of.takenBefore > 0 || engine().orphanMovers() > 0)
                        : refusal.code() == NO_ROOM && inUse >= World.SESSIONS;
        boolean mayLackMemory = world.hasFullHeap() && refusal.code() == NO_MEMORY;
        if (!isFounded && !mayLackMemory) {
            throw world.fail(
                    "%s refuses a %s with %s, and %d sessions are taken: %s"
                            .formatted(
                                    this,
                                    of.isServer ? "server" : "client",
                                    ErrorCode.of(refusal.code()),
                                    of.takenBefore,
                                    refusal.sentence()));
        }
    }

    @Override
    public void answer(SocketChannel socket, HandshakeFrame frame) {
        Known of = sockets.get((SimSocket) socket);
        if (of != null && frame instanceof Refused refusal) {
            check(of, refusal);
        }
        requests.add(
                () -> {
                    Known known = sockets.get((SimSocket) socket);
                    if (known != null) {
                        known.answer = frame;
                    }
                });
    }

    @Override
    public void evict(SocketChannel socket) {
        long most = Math.min(counted("zbmi.faults"), counted("zbmi.sessions.evictions"));
        if (!world.daemon.hadFaults || ++evicted > most) {
            throw world.fail(this + " cuts off a peer that broke nothing");
        }
        requests.add(() -> shut((SimSocket) socket));
    }

    @Override
    public void sendAway(SocketChannel socket) {
        requests.add(() -> shut((SimSocket) socket));
    }

    private void shut(SimSocket socket) {
        Known known = sockets.get(socket);
        if (known == null || known.isGone) {
            return;
        }
        known.isSentAway = true;
        socket.shutOutput();
        host().hungUp(socket, false);
    }

    @Override
    public void wake(SocketChannel socket) {
        requests.add(((SimSocket) socket)::sendByte);
    }

    /** Shows the operations of the engine. */
    void showOperations(OperationVisitor visitor) {
        if (isWhole()) {
            engine().showOperations(0, 1 << 30, 1 << 30, visitor, world.nowNs());
        }
    }

    boolean isWhole() {
        return isAlive;
    }

    /** A counter of the daemon. */
    long counted(String label) {
        return Objects.requireNonNull(counters.find(label), "no counter " + label).get();
    }

    void checkEmpty() {
        EngineAudit own = audit;
        if (own != null) {
            try {
                own.checkEmpty();
            } catch (IllegalStateException e) {
                throw world.fail("after everybody has gone " + e.getMessage(), e);
            }
        }
    }

    static HostLayout layout(
            int laneSlots, int unexpectedPages, int expectedPages, long immediateWaitNs) {
        long unexpected = unexpectedPages * 4096L;
        long expected = expectedPages * 4096L;
        SegmentGeometry geometry =
                new SegmentGeometry(
                        World.SESSIONS, laneSlots, laneSlots, 3, 128, unexpected, expected);
        SegmentMap map = new SegmentMap(geometry);
        EngineLimits limits =
                new EngineLimits(
                        World.SESSIONS,
                        30,
                        60,
                        100_000,
                        World.MAX_UNEXPECTED,
                        World.EAGER,
                        3,
                        EagerPlaces.of(map),
                        16,
                        map.unexpectedOffset(),
                        unexpected,
                        map.expectedOffset(),
                        expected,
                        immediateWaitNs);
        return new HostLayout(
                map,
                limits,
                Path.of("simulated"),
                SegmentOptions.defaults(),
                WaitPolicy.Mode.BLOCK,
                0,
                RingCommandChannelProvider.NAME,
                false,
                "",
                0);
    }
}
