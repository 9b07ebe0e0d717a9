package org.jbmi.tcp.peer;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** An attempt to reach a peer: its name, then one address after the other. Under the lock. */
final class Dial {
    final TcpPeer peer;

    /** Where to, in order. */
    final List<InetSocketAddress> targets = new ArrayList<>();

    int next;
    boolean over;

    /** The code of the last address, or of the whole. */
    int error;

    long deadlineNs;

    /** The connection that is being made; null once it is connected or given up. */
    @Nullable Connection current;

    Dial(TcpPeer peer) {
        this.peer = peer;
    }
}
