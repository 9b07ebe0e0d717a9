package org.jbmi.zbmi.engine;

import org.jbmi.spi.LinkedNode;

/** The two queues of one client and one tag. It is listed while it is in the client's table. */
final class TagQueue extends LinkedNode {
    final ClientSession client;
    final MatchQueue towardServer;
    final MatchQueue towardClient;
    int tag;

    TagQueue(ClientSession client) {
        this.client = client;
        this.towardServer = new MatchQueue(client, this, true);
        this.towardClient = new MatchQueue(client, this, false);
    }

    boolean isEmpty() {
        return towardServer.isEmpty() && towardClient.isEmpty();
    }
}
