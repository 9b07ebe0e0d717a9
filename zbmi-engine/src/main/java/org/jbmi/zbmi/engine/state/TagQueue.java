package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.LinkedNode;

/**
 * The two queues of one client and one tag. This node is listed while it is in the client's table.
 */
public final class TagQueue extends LinkedNode {
    public final MatchQueue towardServer;
    public final MatchQueue towardClient;
    public int tag;

    public TagQueue(ClientSession client) {
        this.towardServer = new MatchQueue(client, this, true);
        this.towardClient = new MatchQueue(client, this, false);
    }

    public boolean isEmpty() {
        return towardServer.isEmpty() && towardClient.isEmpty();
    }
}
