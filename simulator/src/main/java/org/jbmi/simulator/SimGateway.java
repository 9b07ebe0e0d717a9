package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.SimHosting.Session;
import org.jbmi.simulator.process.SimMemory;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.socket.SimListener;
import org.jbmi.simulator.socket.SimSelector;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.simulator.socket.SimStream;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.gateway.SteppedGateway;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The gateway's thread, and the thread that attaches for it. Both are simulated as a process of
 * their own, since they share only the segment with the daemon's other threads; all start and end
 * together.
 */
final class SimGateway extends SimProcess {
    private static final int MAX_CLIENTS = 4;
    private static final String TRANSPORT = "shm";

    /** The shortest time that it waits for a connecting client. */
    static final long HANDSHAKE_NS = TimeUnit.SECONDS.toNanos(5);

    private final World world;
    private final long stallNs;
    private final List<Attaching> attaching = new ArrayList<>();
    private final Map<Integer, Lane> lanes = new HashMap<>();

    /** The last step in which it refused a client with a code. */
    private final Map<ErrorCode, Long> refusedAtStep = new EnumMap<>(ErrorCode.class);

    private @Nullable SimListener listener;
    private @Nullable SimSelector selector;
    private @Nullable SteppedGateway gateway;

    private record Attaching(SteppedGateway.Waiting who, SimHosting at, SimSocket socket) {}

    /** A session of the engine for a remote client. */
    record Lane(SimSocket socket, SimLane lane) {
        boolean isWhole() {
            return !socket.isEnded && !socket.isClosed();
        }
    }

    SimGateway(World world, long stallNs) {
        super(world, "gateway");
        this.world = world;
        this.stallNs = stallNs;
    }

    @Override
    public long pid() {
        return world.home().pid();
    }

    /** The daemon has started. */
    void start() {
        incarnation++;
        isAlive = true;
        SimSelector fresh = new SimSelector(world, null);
        SimListener knocked = new SimListener();
        selector = fresh;
        listener = knocked;
        try {
            knocked.configureBlocking(false);
            gateway =
                    new SteppedGateway(
                            fresh,
                            knocked,
                            MAX_CLIENTS,
                            stallNs,
                            HANDSHAKE_NS,
                            clock,
                            new ErrorLog(text -> world.note(() -> this + ": " + text)),
                            world.door().counters(),
                            this::attach);
        } catch (IOException e) {
            throw world.fail("the gateway does not open: " + e, e);
        }
    }

    /** Takes a client's connection. */
    void connect(SimStream end) {
        listener().connect(end);
    }

    private SimListener listener() {
        return Objects.requireNonNull(listener, "no gateway");
    }

    private SimSelector selector() {
        return Objects.requireNonNull(selector, "no gateway");
    }

    private SteppedGateway gateway() {
        return Objects.requireNonNull(gateway, "no gateway");
    }

    /** The session of a generation; null if it belongs to another daemon. */
    @Nullable Lane lane(int generation) {
        return lanes.get(generation);
    }

    @Override
    public boolean mayRun() {
        return super.mayRun() && frames == 0;
    }

    boolean isAsleep() {
        return !isAlive || (selector().isAsleep() && !hasAnswer());
    }

    void step() {
        run(this::turn);
        checkAwake();
    }

    /** Checks that it passes messages of a client on while the lane to the engine is empty. */
    void checkAwake() {
        if (!mayRun() || !isAsleep() || !hasRung(world.door()) || !hasRung(world.daemon)) {
            return;
        }
        for (SelectionKey key : selector().keys()) {
            // With much unwritten output it waits for its client, which must read first.
            boolean isLookedAt = !key.isValid() || key.interestOps() != 0;
            if (key.channel() instanceof SimStream stream
                    && !isLookedAt
                    && stream.other() instanceof SimRemoteClient client
                    && stream.isConnectedTo(client.stream())
                    && client.isLaneFree()) {
                throw world.fail("the gateway sleeps over what has come from " + client);
            }
        }
    }

    private static boolean hasRung(SimHosting host) {
        return !host.isBusy() && !host.hasSocketWork();
    }

    private void turn() {
        if (hasAnswer() && world.dice.chance(50)) {
            alone(this::takeAnswer);
        } else if (!selector().isAsleep()) {
            alone(this::loopTurn);
        }
    }

    private void loopTurn() {
        if (isCrowded()) {
            refuses(ErrorCode.ENOBUFS);
        }
        try {
            gateway().turn();
        } catch (IOException e) {
            throw world.fail("the gateway's thread failed: " + e, e);
        }
    }

    // Then it need not accept another client. A client that has closed counts until the gateway
    // knows.
    private boolean isCrowded() {
        int count = listener().waitingCount();
        for (SelectionKey key : selector().keys()) {
            count += key.channel() instanceof SimStream ? 1 : 0;
        }
        return count > MAX_CLIENTS;
    }

    private void refuses(ErrorCode code) {
        refusedAtStep.put(code, world.steps);
    }

    /** Whether it has refused a client with a code since a step. */
    boolean hasRefused(ErrorCode code, long sinceStep) {
        Long step = refusedAtStep.get(code);
        return step != null && step >= sinceStep;
    }

    private void attach(SteppedGateway.Waiting who) {
        attach(who, world.door());
    }

    private void attach(SteppedGateway.Waiting who, SimHosting at) {
        SimSocket mine = SimSocket.pair();
        at.connected(mine.other(), new Hello(PeerRole.CLIENT, pid(), incarnation, TRANSPORT), this);
        attaching.add(new Attaching(who, at, mine));
    }

    private boolean hasAnswer() {
        for (Attaching each : attaching) {
            if (each.socket().isEnded || each.at().answerFor(each.socket().other()) != null) {
                return true;
            }
        }
        return false;
    }

    private void takeAnswer() {
        for (Iterator<Attaching> i = attaching.iterator(); i.hasNext(); ) {
            Attaching each = i.next();
            Session session = each.at().answerFor(each.socket().other());
            if (session != null || each.socket().isEnded) {
                i.remove();
                answered(each, session);
                return;
            }
        }
    }

    private void answered(Attaching of, @Nullable Session session) {
        if (session == null) {
            refused(of, ErrorCode.EPROTO, "the host has hung up");
        } else if (session.answer() instanceof Welcome welcome) {
            welcome(of, welcome, session.segment());
        } else if (session.answer() instanceof Refused refused) {
            ErrorCode code = ErrorCode.of(refused.code());
            refused(of, code == null ? ErrorCode.EPROTO : code, refused.sentence());
        } else if (world.daemon.isAlive) {
            of.socket().end();
            attach(of.who(), world.daemon); // the client was redirected
        } else {
            refused(of, ErrorCode.ENETDOWN, "nobody is there");
        }
    }

    private void refused(Attaching of, ErrorCode code, String sentence) {
        of.socket().end();
        refuses(code);
        gateway().refused(of.who(), new BmiException(code, sentence));
    }

    private void welcome(Attaching of, Welcome welcome, Segment segment) {
        SimLane lane =
                new SimLane(
                        segment, segment.map().session(welcome.session()), welcome.generation());
        lanes.put(welcome.generation(), new Lane(of.socket(), lane));
        try {
            of.socket().configureBlocking(false);
        } catch (IOException e) {
            throw world.fail("a socket blocks: " + e, e);
        }
        gateway()
                .attached(
                        of.who(),
                        new PeerAttachment(
                                of.socket(),
                                new SimMemory(segment.raw(), this),
                                segment.memory(),
                                () -> {},
                                welcome,
                                new AttachRequest(
                                        Path.of("simulated"),
                                        PeerRole.CLIENT,
                                        TRANSPORT,
                                        0,
                                        waiting,
                                        clock,
                                        world.liveness)));
    }

    @Override
    protected void onDeath() {
        world.home().goDown();
        SimListener knocked = listener;
        SimSelector own = selector;
        if (knocked != null && own != null) {
            for (var key : own.keys()) {
                if (key.channel() instanceof SimStream stream) {
                    stream.end();
                }
            }
            knocked.endAll();
        }
        for (Lane each : lanes.values()) {
            each.socket().end();
        }
        for (Attaching each : attaching) {
            each.socket().end();
        }
    }

    @Override
    protected void onEnded() {
        gateway = null;
        selector = null;
        listener = null;
        exclusive = 0;
        lanes.clear();
        attaching.clear();
    }
}
