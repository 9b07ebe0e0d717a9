package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineCounters;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EngineOutput;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * The state that all parts of the engine share: sessions, limits, and where actions go. It contains
 * no rule.
 */
public final class EngineState {
    public final EngineLimits limits;
    public final EngineOutput output;
    public final ServerOutput toServer;
    public final EnginePayload payload;
    public final EngineCounters counters;
    public final OperationPool operations;
    public final DeadlineHeap deadlines = new DeadlineHeap();
    public final ServerSession server = new ServerSession();
    private final ClientSession[] clients;

    public EngineState(
            EngineLimits limits,
            EngineOutput output,
            ServerOutput toServer,
            EnginePayload payload,
            EngineCounters counters) {
        this.limits = limits;
        this.output = output;
        this.toServer = toServer;
        this.payload = payload;
        this.counters = counters;
        this.operations =
                new OperationPool(
                        (long) limits.maxClients() * limits.maxClientOperations()
                                + limits.maxServerOperations(),
                        limits.maxClients() * ClientRequests.MOST_KEPT);
        this.clients = new ClientSession[limits.maxClients() + 1];
        for (int i = 1; i < clients.length; i++) {
            clients[i] = new ClientSession(i, limits);
        }
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
        counters.add(session, counter, 1);
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
