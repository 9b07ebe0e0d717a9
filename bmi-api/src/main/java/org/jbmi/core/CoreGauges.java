package org.jbmi.core;

import org.jbmi.core.operation.OperationTable;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** Figures of the core that are computed when they are read. */
final class CoreGauges {
    private final OperationTable table;
    private final PeerTable peers;
    private final UnexpectedStore store;
    private final Counter operations;
    private final Counter knownPeers;
    private final Counter waiting;
    private final Counter held;

    CoreGauges(Counters counters, OperationTable table, PeerTable peers, UnexpectedStore store) {
        this.table = table;
        this.peers = peers;
        this.store = store;
        operations = counters.register(1, "bmi.operations", "operations");
        knownPeers = counters.register(2, "bmi.peers", "peers");
        waiting = counters.register(3, "bmi.unexpectedWaiting", "messages");
        held = counters.register(4, "bmi.unexpectedHeld", "messages");
    }

    void refresh() {
        operations.set(table.inUse());
        knownPeers.set(peers.size());
        waiting.set(store.waiting());
        held.set(store.heldByProgram());
    }
}
