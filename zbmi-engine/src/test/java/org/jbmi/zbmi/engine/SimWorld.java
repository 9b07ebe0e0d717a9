package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.Message;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * An engine with simulated peers around it, in one thread, under a random schedule. Everything that
 * takes time in the world is a step that may come late: a message on its way, a client that has
 * read a grant and not moved yet, a death that is not noticed yet.
 */
final class SimWorld implements EngineHost {
    static final long EXPECTED = 1L << 32;
    static final long UNEXPECTED = 1L << 20;
    static final int MAX_UNEXPECTED = 1000;
    static final int EAGER = 100;
    static final EagerPlaces PLACES = new EagerPlaces(1 << 30, 1 << 10, 128);
    static final int TAGS = 3;
    private static final int MOST_ROUNDS = 100_000;

    final Random random;
    final SimLedger ledger = new SimLedger();
    final SimSegment segment = new SimSegment(ledger);
    final SimClient[] clients;
    final SimServer server;
    final Engine engine;
    final Map<EngineCounter, Long> counts = new EnumMap<>(EngineCounter.class);
    final List<String> faults = new ArrayList<>();
    private final EngineAudit invariants;
    private final Map<Integer, Integer> generations = new HashMap<>();
    long nowNs = Long.MAX_VALUE - 5_000_000;
    boolean isPosting = true;
    boolean isKilling;

    /** Clients may have more operations than there are grants, and move their bytes late. */
    final boolean isCrowded;

    /** Whether a client has had as many grants as there are. */
    boolean hasRunOutOfGrants;

    SimWorld(long seed, int clientCount, int chunks, boolean isCrowded) {
        this.isCrowded = isCrowded;
        this.random = new Random(seed);
        this.engine = new Engine(limits(clientCount, chunks, isCrowded), this, segment);
        this.invariants = new EngineAudit(engine);
        this.server = new SimServer(this);
        this.clients = new SimClient[clientCount + 1];
        for (int i = 1; i <= clientCount; i++) {
            clients[i] = new SimClient(this, i);
        }
    }

    private static EngineLimits limits(int clients, int chunks, boolean isCrowded) {
        return new EngineLimits(
                clients,
                isCrowded ? 200 : 30,
                isCrowded ? 400 : 60,
                100_000,
                MAX_UNEXPECTED,
                EAGER,
                3,
                PLACES,
                16,
                UNEXPECTED,
                (long) chunks * 1024,
                EXPECTED,
                1L << 40,
                300_000);
    }

    int nextGeneration(int session) {
        return generations.merge(session, 1, Integer::sum);
    }

    /** A message reaches the engine. */
    void deliver(int session, Message message) {
        engine.receive(session, message, nowNs);
        invariants.check();
        hasRunOutOfGrants |=
                session != SERVER_SESSION && !engine.state().client(session).hasFreeGrant();
    }

    /** Something else happens to the engine. */
    void event(Runnable happening) {
        happening.run();
        invariants.check();
    }

    @Override
    public void send(int session, Message message) {
        Message copy = new Message();
        copy.copyFrom(message);
        if (session == SERVER_SESSION) {
            server.sent(copy);
        } else {
            clients[session].inbound.add(copy);
        }
    }

    @Override
    public boolean mayPublish(int client) {
        return false;
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        return false; // payload is one number a block here
    }

    @Override
    public void fault(int session, Fault fault) {
        faults.add(session + " " + fault);
    }

    /** One random step of anybody. */
    void step() {
        int dice = random.nextInt(100);
        if (dice < 70) {
            clients[1 + random.nextInt(clients.length - 1)].step();
        } else if (dice < 95) {
            server.step();
        } else {
            nowNs += random.nextInt(100_000);
            event(() -> engine.tick(nowNs));
        }
    }

    /** Lets everything that is under way happen, and nothing new. */
    void settle() {
        isPosting = false;
        isKilling = false;
        for (int round = 0; round < 3; round++) {
            untilRest(this::drain);
            nowNs += 10_000_000_000L;
            event(() -> engine.tick(nowNs));
        }
    }

    /** Everybody who lives waits in a long test, the server gives all memory back: what is left? */
    void checkNobodyWaitsInVain() {
        for (int i = 1; i < clients.length; i++) {
            clients[i].waitLong();
        }
        settleWithoutTime();
        untilRest( // one client never has it all at a time
                () -> {
                    long before = ledger.unexpectedDelivered;
                    server.freeAll();
                    settleWithoutTime();
                    return ledger.unexpectedDelivered != before;
                });
        ledger.checkNothingCouldMatch();
        if (engine.isServerAttached()) {
            for (int i = 1; i < clients.length; i++) {
                assertThat(clients[i].pendingUnexpected()).isZero();
            }
        }
    }

    private void settleWithoutTime() {
        untilRest(
                () -> {
                    boolean didSomething = drain();
                    if (engine.nanosToNextDeadline(nowNs) == 0) {
                        event(() -> engine.tick(nowNs));
                        didSomething = true;
                    }
                    return didSomething;
                });
    }

    private boolean drain() {
        boolean didSomething = server.drain();
        for (int i = 1; i < clients.length; i++) {
            didSomething |= clients[i].drain();
        }
        return didSomething;
    }

    /** Repeats what says whether it did something; a failure keeps the seed, a hang would not. */
    private static void untilRest(BooleanSupplier round) {
        for (int rounds = 0; round.getAsBoolean(); rounds++) {
            assertThat(rounds).as("rounds without rest").isLessThan(MOST_ROUNDS);
        }
    }

    /** Everybody cancels what is left and goes; nothing of anybody may remain. */
    void endOfTheWorld() {
        for (int i = 1; i < clients.length; i++) {
            clients[i].cancelAll();
        }
        server.cancelAll();
        settle();
        for (int i = 1; i < clients.length; i++) {
            clients[i].leave();
        }
        server.freeAll();
        settle();
        assertThat(engine.pendingOperations()).isZero();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(engine.orphanMovers()).isZero();
        assertThat(engine.unexpected().region().freeChunks())
                .isEqualTo(engine.unexpected().region().chunkCount());
        assertThat(faults).isEmpty();
        ledger.checkAllReported();
        segment.checkNothingInUse();
        engine.takeCounts((session, counter, delta) -> counts.merge(counter, delta, Long::sum));
        assertThat(counts.getOrDefault(EngineCounter.MESSAGES_SENT, 0L))
                .isEqualTo(ledger.movedToServer + segment.eagerMoved);
        assertThat(counts.getOrDefault(EngineCounter.MESSAGES_RECEIVED, 0L))
                .isEqualTo(ledger.movedToClient);
    }

    static int code(ErrorCode code) {
        return code.negativeValue();
    }
}
