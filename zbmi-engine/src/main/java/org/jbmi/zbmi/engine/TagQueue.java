package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** The two queues of one client and one tag. */
final class TagQueue {
    final ClientSession client;
    final MatchQueue towardServer;
    final MatchQueue towardClient;
    int tag;
    boolean inTable;

    /** Links of the client's list of them, or of the list of unused ones. */
    @Nullable TagQueue previous;

    @Nullable TagQueue next;

    TagQueue(ClientSession client) {
        this.client = client;
        this.towardServer = new MatchQueue(client, this, true);
        this.towardClient = new MatchQueue(client, this, false);
    }

    boolean isEmpty() {
        return towardServer.isEmpty() && towardClient.isEmpty();
    }
}
