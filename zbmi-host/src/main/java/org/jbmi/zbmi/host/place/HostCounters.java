package org.jbmi.zbmi.host.place;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Waiting;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineCounters;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Objects;
import java.util.Set;

/**
 * The counters of a host: the engine's, in total and for each session, and its own. Written by the
 * thread that runs the engine.
 *
 * <p>A message changes some twenty of them, each twice, and each value has a cache line of its own.
 * So the engine counts on the heap until {@link #write}. The host calls {@link #write} after each
 * round. While rounds follow each other quickly, it does so at each tick of the keeper.
 *
 * <p>The counters of a session are made at its first use and begin at 0 with each generation. Those
 * of resources held now do not: resources stay held until they are freed.
 */
public final class HostCounters implements EngineCounters {
    /** Label: 1 if the engine runs in the process of its server. */
    public static final String DIRECT = "zbmi.host.direct";

    private static final String PREFIX = "zbmi.";
    private static final String SESSION_PREFIX = "zbmi.session.";
    private static final String ATTACHED = "zbmi.sessions.attached";
    private static final String QUARANTINED = "zbmi.sessions.quarantined";
    private static final int OWN_COUNTERS = 32;
    private static final int TOTALS_ID = 5100;
    private static final int SESSIONS_ID = 5200;
    private static final int PIDS_ID = 5299;
    private static final int OWN_ID = 5300;

    private final Counters counters;
    private final EngineCounter[] kinds = EngineCounter.values();
    private final Counter[] totals;
    private final @Nullable OfSession[] sessions;

    private final Counter attached;
    private final Counter copies;

    /** Processes that ended without a goodbye. */
    public final Counter deaths;

    /** Sessions that end because their peers broke the protocol. */
    public final Counter evictions;

    /** Faults of peers. */
    public final Counter faults;

    /** Sessions whose memory is kept until their processes end. */
    public final Counter quarantined;

    /** Sleeps of the thread that runs the engine. */
    public final Counter sleeps;

    private volatile @Nullable Counter copiesOfServer;
    private @Nullable Engine engine;
    private @Nullable SegmentPayload payload;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record OfSession(Counter[] values, Counter pid) {}

    /**
     * Registers those of a host that begins.
     *
     * @param maxClients how many clients there may be
     * @param host where the engine runs
     * @param waiting the host's, whose system calls are counted
     */
    public HostCounters(Counters counters, int maxClients, HostKind host, Waiting waiting) {
        this.counters = counters;
        this.totals = register(TOTALS_ID, PREFIX);
        this.sessions = new OfSession[maxClients + 1];
        attached = counters.register(OWN_ID, ATTACHED, "sessions");
        deaths = counters.register(OWN_ID + 1, "zbmi.sessions.deaths", "sessions");
        evictions = counters.register(OWN_ID + 2, "zbmi.sessions.evictions", "sessions");
        faults = counters.register(OWN_ID + 3, "zbmi.faults", "faults");
        quarantined = counters.register(OWN_ID + 4, QUARANTINED, "sessions");
        sleeps = counters.register(OWN_ID + 5, "zbmi.engine.sleeps", "sleeps");
        counters.register(OWN_ID + 6, DIRECT, "hosts").set(host == HostKind.DAEMON ? 0 : 1);
        copies = counters.register(OWN_ID + 7, "zbmi.copies", "messages");
        Counter futexCalls = counters.register(OWN_ID + 8, "zbmi.futexCalls", "calls");
        if (waiting instanceof FutexWaiting futex) {
            futex.onSystemCall(futexCalls::increment);
        }
    }

    /** Sets the engine, which is made after them, and its payload, which counts the copies. */
    public void use(Engine newEngine, SegmentPayload newPayload) {
        engine = newEngine;
        payload = newPayload;
    }

    private void writeCopies(long taken) {
        Counter ofServer = copiesOfServer;
        if (ofServer != null) {
            ofServer.addBySingleWriter(taken);
        }
        copies.addBySingleWriter(taken);
    }

    /** Counts the engine's copies from now on also in a counter of the server in this process. */
    public void countCopiesIn(Counter ofServer) {
        copiesOfServer = ofServer;
    }

    /** Whether a counter only grows, and belongs to no session. */
    static boolean isTotal(String label) {
        return !label.startsWith(SESSION_PREFIX)
                && !Set.of(DIRECT, ATTACHED, QUARANTINED).contains(label)
                && Arrays.stream(EngineCounter.values())
                        .filter(EngineCounter::isGauge)
                        .noneMatch(gauge -> label.equals(PREFIX + gauge.label()));
    }

    private Counter[] register(int firstId, String prefix) {
        Counter[] made = new Counter[kinds.length];
        for (int i = 0; i < kinds.length; i++) {
            made[i] = counters.register(firstId + i, prefix + kinds[i].label(), kinds[i].unit());
        }
        return made;
    }

    /**
     * How many counters a host may have.
     *
     * @param maxClients how many clients there may be
     */
    public static int capacity(int maxClients) {
        return OWN_COUNTERS
                + EngineCounter.values().length
                + (maxClients + 1) * (EngineCounter.values().length + 1);
    }

    @Override
    public void add(int session, EngineCounter counter, long delta) {
        totals[place(counter)].addBySingleWriter(delta);
        OfSession own = sessions[session];
        if (own != null) {
            own.values()[place(counter)].addBySingleWriter(delta);
        }
    }

    /** Writes what is not written yet. */
    public void write() {
        if (engine != null) {
            engine.takeCounts(this);
        }
        long taken = payload == null ? 0 : payload.takeCopies();
        if (taken > 0) {
            writeCopies(taken);
        }
    }

    @SuppressWarnings("EnumOrdinal") // a map would look it up each time
    private static int place(EngineCounter kind) {
        return kind.ordinal();
    }

    /** Makes the counters of a session; what finds no memory for that can be called again. */
    public void prepare(int session) {
        if (sessions[session] == null) {
            String prefix = SESSION_PREFIX + session + ".";
            Counter[] values = register(SESSIONS_ID, prefix);
            Counter pid = counters.register(PIDS_ID, prefix + "pid", "pid");
            sessions[session] = new OfSession(values, pid);
        }
    }

    /** Counts a session that begins: its counters begin at 0. Allocates nothing if prepared. */
    public void begin(int session, long pid) {
        prepare(session);
        write(); // what was counted before is not of this session
        OfSession own = Objects.requireNonNull(sessions[session]);
        for (EngineCounter kind : kinds) {
            if (!kind.isGauge()) {
                own.values()[place(kind)].set(0);
            }
        }
        own.pid().set(pid);
        attached.addBySingleWriter(1);
    }

    /** Counts the end of a session. */
    public void end(int session) {
        OfSession own = sessions[session];
        if (own != null) {
            own.pid().set(0);
        }
        attached.addBySingleWriter(-1);
    }
}
