package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineCounters;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerOutput;

import java.util.List;

/**
 * The state that all parts of the engine share: sessions, limits, and where actions go. It contains
 * no rule.
 */
public final class EngineState {
    private static final List<EngineCounter> COUNTERS = List.of(EngineCounter.values());

    public final EngineLimits limits;
    public final EngineOutbox output;
    public final ServerOutput toServer;
    public final EnginePayload payload;
    public final OperationPool operations;
    public final DeadlineHeap deadlines = new DeadlineHeap();
    public final ServerSession server = new ServerSession();
    private final ClientSession[] clients;

    /** What was counted and not taken yet, by session and counter. */
    private final long[][] counts;

    private final boolean[] isCounted;
    private final int[] countedSessions;
    private int countedCount;

    public EngineState(
            EngineLimits limits,
            EngineOutbox output,
            ServerOutput toServer,
            EnginePayload payload) {
        this.limits = limits;
        this.output = output;
        this.toServer = toServer;
        this.payload = payload;
        this.operations =
                new OperationPool(
                        (long) limits.maxClients() * limits.maxClientOperations()
                                + limits.maxServerOperations(),
                        limits.maxClients() * ClientRequests.MOST_KEPT);
        this.clients = new ClientSession[limits.maxClients() + 1];
        for (int i = 1; i < clients.length; i++) {
            clients[i] = new ClientSession(i, limits);
        }
        this.counts = new long[clients.length][COUNTERS.size()];
        this.isCounted = new boolean[clients.length];
        this.countedSessions = new int[clients.length];
    }

    /** Clients are 1 to this. */
    public int maxClient() {
        return clients.length - 1;
    }

    public boolean isClient(int index) {
        return index > 0 && index < clients.length;
    }

    public ClientSession client(int index) {
        if (!isClient(index)) {
            throw new IllegalArgumentException("no client session " + index);
        }
        return clients[index];
    }

    public void count(int session, EngineCounter counter) {
        add(session, counter, 1);
    }

    /**
     * Adds to a counter. Short, so that it is compiled into its callers. In a full heap it must not
     * fail, because the engine counts in the middle of its changes.
     */
    @SuppressWarnings("EnumOrdinal") // several times a message; a map would look it up each time
    public void add(int session, EngineCounter counter, long delta) {
        counts[session][counter.ordinal()] += delta;
        if (!isCounted[session]) {
            isCounted[session] = true;
            countedSessions[countedCount++] = session;
        }
    }

    /** Hands over what was counted since the last call. */
    public void takeCounts(EngineCounters into) {
        for (int i = 0; i < countedCount; i++) {
            int session = countedSessions[i];
            long[] own = counts[session];
            isCounted[session] = false;
            for (int place = 0; place < own.length; place++) {
                if (own[place] != 0) {
                    into.add(session, COUNTERS.get(place), own[place]);
                    own[place] = 0;
                }
            }
        }
        countedCount = 0;
    }

    /** Shows a client whether its messages are kept. */
    public void showKept(ClientSession client) {
        boolean isServed = server.isAttached && client.state == ClientSession.State.LIVE;
        client.kept.update(isServed, payload);
    }

    public void fault(ClientSession client, Fault fault) {
        if (client.isFaulty) {
            return;
        }
        client.isFaulty = fault.endsSession();
        output.fault(client.index, fault);
    }

    public void serverFault(Fault fault) {
        output.fault(SegmentMap.SERVER_SESSION, fault);
    }
}
