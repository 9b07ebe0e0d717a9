package org.jbmi.tcp;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** An attempt to reach a peer: its name, then one address after the other. Under the lock. */
final class Dial {
    final TcpPeer peer;

    /** Where to, in order; complete once it is not resolving any more. */
    final List<InetSocketAddress> targets = new ArrayList<>();

    int next;
    boolean resolving;
    boolean over;
    int error;
    long deadlineNs;
    @Nullable Connection current;

    Dial(TcpPeer peer) {
        this.peer = peer;
    }
}
